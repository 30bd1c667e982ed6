/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [16], random_uniform = 1, low = 0.3, high = 1.2 }
y = { zeros = [12] }
w = 0.7
which = 0
n = 4
[[cases]]
name = "first"
[[cases]]
name = "second"
inputs = { which = 1, n = 0 }
[[cases]]
name = "third"
inputs = { which = 2, n = 5 }
---*/
// std::function: of lambdas that capture by value and by reference, functors, functions; as variables that change, members,
// parameters, results, elements of vectors and arrays; that launch kernels; empty ones.
#include <cmath>
#include <functional>
#include <vector>

using Law = std::function<double(double)>;

static double square(double v) { return v * v; }
struct Damped {
    double rate;
    double operator()(double v) const { return exp(-rate * v); }
};

static double integrate(const Law &f, double a, double b, int n)
{
    double sum = 0;
    const double h = n > 0 ? (b - a) / n : 0;
    for (int i = 0; i < n; i++)
        sum += f(a + (i + 0.5) * h);
    return sum * h;
}

static Law make_law(int which, double w)
{
    if (which == 0)
        return [w](double v) { return sin(w * v); };
    if (which == 1)
        return Damped{w};
    return square;
}

__global__ void scaled(double *x, double factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor * x[i];
}

class Solver {
    std::function<void(double *, const double *, int)> rhs_;
    std::function<double(const std::vector<double> &)> norm_;
    Law limiter_ = nullptr;

public:
    int calls = 0;
    explicit Solver(std::function<void(double *, const double *, int)> rhs) : rhs_(std::move(rhs)) {}
    void limit(Law limiter) { limiter_ = limiter; }
    void measure(std::function<double(const std::vector<double> &)> norm) { norm_ = std::move(norm); }
    double advance(std::vector<double> &u, double dt, int steps)
    {
        std::vector<double> du(u.size());
        for (int k = 0; k < steps; k++) {
            rhs_(du.data(), u.data(), (int)u.size());
            for (size_t i = 0; i < u.size(); i++)
                u[i] += dt * (limiter_ ? limiter_(du[i]) : du[i]);
            calls++;
        }
        return norm_(u);
    }
};

void run(const double *x, double *y, double w, int which, int n)
{
    Law f = make_law(which, w);
    y[0] = f(x[0]) + integrate(f, x[1], x[2], n);
    double scale = w * x[3];
    Law by_reference = [&](double v) { return scale * v * x[4]; };
    y[1] = by_reference(x[5]);
    scale *= x[0];
    y[2] = by_reference(x[5]) + integrate(by_reference, 0, x[6], n) + integrate([=](double v) { return v * w; }, 0, w, 3);
    if (which > 0)
        f = square;
    y[3] = f(x[7]);

    std::vector<Law> layers;
    layers.push_back([](double v) { return tanh(v); });
    layers.push_back(square);
    layers.emplace_back([](double v) { return v > 0 ? v : 0.01 * v; });
    double v = x[8] * w;
    for (int i = 0; i < n; i++)
        v = layers[(i + which) % layers.size()](v + 0.1 * i);
    for (const auto &layer : layers)
        v += layer(x[9]);
    y[4] = v;

    int counted = 0;
    const double stiffness = w * w;
    Solver solver([stiffness, &counted](double *du, const double *u, int m) {
        for (int i = 0; i < m; i++)
            du[i] = stiffness * (u[(i + 1) % m] - 2 * u[i] + u[(i + m - 1) % m]) - u[i] * u[i];
        counted += m;
    });
    solver.measure([](const std::vector<double> &u) {
        double sum = 0;
        for (double e : u)
            sum += e * e;
        return sqrt(sum);
    });
    if (which == 2)
        solver.limit([](double d) { return d / (1 + fabs(d)); });
    std::vector<double> u(x, x + 6);
    y[5] = solver.advance(u, 0.05, n) + counted + solver.calls;
    y[6] = u[2];

    std::function<void(double *)> launches[2] = {std::function<void(double *)>([w](double *d) { scaled<<<2, 4>>>(d, w, 7); }),
                                                 std::function<void(double *)>([](double *d) { scaled<<<1, 8>>>(d, 2.0, 8); })};
    double *d, back[8];
    cudaMalloc(&d, 8 * sizeof(double));
    cudaMemcpy(d, x, 8 * sizeof(double), cudaMemcpyHostToDevice);
    launches[which % 2](d);
    for (auto &launch : launches)
        launch(d);
    cudaMemcpy(back, d, 8 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    y[7] = back[1] * back[6];

    std::function<int(int)> none;
    std::function<double(double, double)> sum = std::plus<double>(), larger = [](auto a, auto b) { return a > b ? a : b; };
    y[8] = (none == nullptr ? sum(x[10], w) : none(3)) + larger(x[11], x[12]);
    std::swap(sum, larger);
    y[9] = sum(x[10], x[13]) * larger(x[14], w);
    double last = 0;
    std::function<double(double)> filter = [last](double v) mutable { return last = 0.5 * last + v; };
    y[10] = filter(x[15]) + filter(w) * filter(x[0]);
}
