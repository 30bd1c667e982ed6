/*---
function = "integrate"
wrt = ["start", "rates"]
of = ["out"]
[inputs]
start = { shape = [9, 3], random_uniform = 1, low = 0.2, high = 1.0 }
rates = { shape = [3], random_uniform = 2, low = 0.2, high = 0.9 }
out = { zeros = [9, 3] }
n = 9
steps = 4
---*/
// Ensembles of reactions integrated by any explicit Runge-Kutta method: tableaus as constexpr arrays, right-hand sides as
// function pointers in template arguments, kernels kept in members, and the same on the host.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

template <std::size_t S> struct Tableau {
    std::array<std::array<double, S>, S> a;
    std::array<double, S> b, c;
    static constexpr std::size_t stages = S;
};
struct Heun {
    static constexpr Tableau<2> tableau{{{{0, 0}, {1, 0}}}, {0.5, 0.5}, {0, 1}};
};
struct Kutta3 {
    static constexpr Tableau<3> tableau{
        {{{0, 0, 0}, {0.5, 0, 0}, {-1, 2, 0}}}, {1.0 / 6, 2.0 / 3, 1.0 / 6}, {0, 0.5, 1}};
};

using State = std::array<double, 3>;
struct Rates {
    double k[3];
};
typedef void (*RightHandSide)(State &, const State &, const Rates &, double);

__host__ __device__ void robertson(State &d, const State &y, const Rates &r, double)
{
    const double forward = r.k[0] * y[0], back = r.k[1] * y[1] * y[2], decay = r.k[2] * y[1] * y[1];
    d[0] = back - forward;
    d[1] = forward - back - decay;
    d[2] = decay;
}
__host__ __device__ void lotka(State &d, const State &y, const Rates &r, double t)
{
    d[0] = y[0] * (r.k[0] - r.k[1] * y[1]);
    d[1] = y[1] * (r.k[1] * y[0] - r.k[2] * (1 + 0.1 * sin(t)));
    d[2] = y[0] * y[1] - y[2];
}

template <class Method, RightHandSide F> __host__ __device__ void step(State &y, const Rates &r, double t, double h)
{
    constexpr auto S = decltype(Method::tableau)::stages;
    State k[S];
    for (std::size_t s = 0; s < S; ++s) {
        State at = y;
        for (std::size_t j = 0; j < s; ++j)
            for (int i = 0; i < 3; ++i)
                at[i] += h * Method::tableau.a[s][j] * k[j][i];
        F(k[s], at, r, t + Method::tableau.c[s] * h);
    }
    for (std::size_t s = 0; s < S; ++s)
        for (int i = 0; i < 3; ++i)
            y[i] += h * Method::tableau.b[s] * k[s][i];
}

template <class Method, RightHandSide F>
__global__ void ensemble(State *out, const State *start, Rates rates, int n, int steps, double h)
{
    if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) {
        State y = start[i];
        for (int s = 0; s < steps; ++s)
            step<Method, F>(y, rates, s * h, h);
        out[i] = y;
    }
}

class Integrator {
public:
    using Kernel = void (*)(State *, const State *, Rates, int, int, double);
    Integrator(const char *name, Kernel kernel, double h) : name(name), kernel(kernel), h(h) {}
    void run(State *out, const State *in, const Rates &rates, int n, int steps) const
    {
        kernel<<<(n + 31) / 32, 32>>>(out, in, rates, n, steps, h);
    }
    const std::string name;

private:
    Kernel kernel;
    double h;
};

std::tuple<State *, State *> allocate(int n)
{
    State *a, *b;
    cudaMalloc(&a, n * sizeof(State));
    cudaMalloc(&b, n * sizeof(State));
    return {a, b};
}

void integrate(double *out, const double *start, const double *rates, int n, int steps)
{
    auto [from, to] = allocate(n);
    cudaMemcpy(from, start, n * sizeof(State), cudaMemcpyHostToDevice);
    Rates r{{rates[0], rates[1], rates[2]}};
    const Integrator first("heun", ensemble<Heun, robertson>, 0.1), second("kutta", ensemble<Kutta3, lotka>, 0.05);
    first.run(to, from, r, n, steps);
    second.run(from, to, r, n, steps);
    cudaMemcpy(out, from, n * sizeof(State), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 20;
    double k0 = 0.4;
    std::vector<double> start(3 * n, 0.5), out(3 * n);
    const double rates[3] = {k0, 0.3, 0.2};
    integrate(out.data(), start.data(), rates, n, steps);
    State y{0.5, 0.5, 0.5};
    Rates r{{k0, 0.3, 0.2}};
    auto reference = [&](State &s, double t) { step<Heun, robertson>(s, r, t, 0.1); };
    for (int s = 0; s < steps; ++s)
        reference(y, 0.1 * s);
    double sum = 0;
    for (double v : out)
        sum += v;
    std::printf("sum %.9f, %.9f\n", sum, y[0]);
    return 0;
}
