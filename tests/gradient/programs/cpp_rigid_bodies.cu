/*---
function = "tumble"
wrt = ["states", "inertia"]
of = ["states", "energy"]
[inputs]
states = { shape = [10, 7], random_uniform = 1, low = 0.2, high = 1.1 }
inertia = { shape = [3], random_uniform = 2, low = 0.7, high = 1.8 }
energy = { zeros = [10] }
bodies = 10
steps = 6
---*/
// Rigid bodies that tumble: fixed-size vectors and matrices by expression templates, quaternions, Runge-Kutta over any state.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <vector>

#define HD __host__ __device__ __forceinline__

template <class E> struct Expression {
    HD const E &self() const { return static_cast<const E &>(*this); }
};
template <class T> struct traits;

template <class A, class B, class Op> struct Binary : Expression<Binary<A, B, Op>> {
    static constexpr int size = A::size;
    const A a;
    const B b;
    HD Binary(const A &x, const B &y) : a(x), b(y) {}
    HD auto operator[](int i) const { return Op::apply(a[i], b[i]); }
};
template <class A> struct Scaled : Expression<Scaled<A>> {
    static constexpr int size = A::size;
    const A a;
    const double s;
    HD Scaled(const A &x, double f) : a(x), s(f) {}
    HD double operator[](int i) const { return s * a[i]; }
};
struct Plus {
    HD static double apply(double a, double b) { return a + b; }
};
struct Minus {
    HD static double apply(double a, double b) { return a - b; }
};

template <int N> class Vector : public Expression<Vector<N>> {
    double v_[N];

public:
    static constexpr int size = N;
    HD Vector() : v_{} {}
    template <class E> HD Vector(const Expression<E> &e)
    {
        static_assert(E::size == N, "sizes differ");
        for (int i = 0; i < N; ++i)
            v_[i] = e.self()[i];
    }
    template <class... T, class = std::enable_if_t<sizeof...(T) == N && (N > 1)>> HD Vector(T... values) : v_{double(values)...} {}
    HD double operator[](int i) const { return v_[i]; }
    HD double &operator[](int i) { return v_[i]; }
    template <class E> HD Vector &operator+=(const Expression<E> &e)
    {
        for (int i = 0; i < N; ++i)
            v_[i] += e.self()[i];
        return *this;
    }
    template <int From, int M> HD Vector<M> segment() const
    {
        Vector<M> part;
        for (int i = 0; i < M; ++i)
            part[i] = v_[From + i];
        return part;
    }
};

template <class A, class B> HD auto operator+(const Expression<A> &a, const Expression<B> &b)
{
    return Binary<A, B, Plus>(a.self(), b.self());
}
template <class A, class B> HD auto operator-(const Expression<A> &a, const Expression<B> &b)
{
    return Binary<A, B, Minus>(a.self(), b.self());
}
template <class A> HD Scaled<A> operator*(double s, const Expression<A> &a) { return {a.self(), s}; }
template <class A, class B> HD double dot(const Expression<A> &a, const Expression<B> &b)
{
    double sum = 0;
    for (int i = 0; i < A::size; ++i)
        sum += a.self()[i] * b.self()[i];
    return sum;
}
using Vector3 = Vector<3>;
using Vector4 = Vector<4>;
HD Vector3 cross(const Vector3 &a, const Vector3 &b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Quaternion {
    Vector4 q;
    HD explicit Quaternion(const Vector4 &v) : q(v) {}
    HD Vector4 derivative(const Vector3 &w) const
    {
        return {0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]), 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
                0.5 * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]), 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])};
    }
    HD void normalise() { q = (1.0 / sqrt(dot(q, q))) * q; }
};

struct Body {
    Vector3 inertia;
    Vector3 torque{0.02, -0.01, 0.03};
    HD Vector<7> operator()(double t, const Vector<7> &state) const
    {
        const Vector3 w = state.segment<0, 3>();
        const Quaternion q(state.segment<3, 4>());
        Vector3 momentum;
        for (int i = 0; i < 3; ++i)
            momentum[i] = inertia[i] * w[i];
        const Vector3 gyro = cross(w, momentum), push = cos(t) * torque;
        const Vector4 dq = q.derivative(w);
        Vector<7> d;
        for (int i = 0; i < 3; ++i)
            d[i] = (push[i] - gyro[i]) / inertia[i];
        for (int i = 0; i < 4; ++i)
            d[3 + i] = dq[i];
        return d;
    }
    HD double energy(const Vector3 &w) const
    {
        double e = 0;
        for (int i = 0; i < 3; ++i)
            e += 0.5 * inertia[i] * w[i] * w[i];
        return e;
    }
};

template <int N, class System> HD Vector<N> runge_kutta(const System &f, double t, const Vector<N> &y, double h)
{
    const Vector<N> k1 = f(t, y), k2 = f(t + 0.5 * h, y + 0.5 * h * k1), k3 = f(t + 0.5 * h, y + 0.5 * h * k2),
                    k4 = f(t + h, y + h * k3);
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

__global__ void advance(double (*states)[7], double *energy, const double *inertia, int bodies, int steps, double h)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bodies)
        return;
    const Body body{Vector3(inertia[0], inertia[1], inertia[2])};
    Vector<7> y;
    for (int i = 0; i < 7; ++i)
        y[i] = states[b][i];
    for (int s = 0; s < steps; ++s) {
        y = runge_kutta(body, s * h, y, h);
        Quaternion q(y.segment<3, 4>());
        q.normalise();
        for (int i = 0; i < 4; ++i)
            y[3 + i] = q.q[i];
    }
    for (int i = 0; i < 7; ++i)
        states[b][i] = y[i];
    energy[b] = body.energy(y.segment<0, 3>());
}

void tumble(double *states, const double *inertia, double *energy, int bodies, int steps)
{
    double *device, *d_inertia, *d_energy;
    cudaMalloc(&device, bodies * 7 * sizeof(double));
    cudaMalloc(&d_inertia, 3 * sizeof(double));
    cudaMalloc(&d_energy, bodies * sizeof(double));
    cudaMemcpy(device, states, bodies * 7 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_inertia, inertia, 3 * sizeof(double), cudaMemcpyHostToDevice);
    advance<<<(bodies + 63) / 64, 64>>>(reinterpret_cast<double(*)[7]>(device), d_energy, d_inertia, bodies, steps, 0.05);
    cudaMemcpy(states, device, bodies * 7 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(energy, d_energy, bodies * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(device);
    cudaFree(d_inertia);
    cudaFree(d_energy);
}

int main(int argc, char **argv)
{
    int bodies = argc > 1 ? std::atoi(argv[1]) : 100;
    double spin = 0.4;
    std::vector<double> states(7 * bodies), energy(bodies);
    for (int b = 0; b < bodies; ++b) {
        states[7 * b] = spin, states[7 * b + 1] = 0.1 * b / bodies, states[7 * b + 2] = 1;
        states[7 * b + 3] = 1;
    }
    const double inertia[] = {1.0, 1.4, 0.8};
    tumble(states.data(), inertia, energy.data(), bodies, 50);
    double total = 0;
    for (double e : energy)
        total += e;
    std::printf("energy %.9f\n", total);
}
