// The solution of a diffusion problem by conjugate gradients with Kokkos, and how its heat content depends on sources
// and conductivities: views are passed by value and share their memory, temporaries end with the function, sums end
// the iteration when the residual is small.
//
// The operator is a functor, dot products and updates of vectors are lambdas. axpby is given the same view twice.
#include <Kokkos_Core.hpp>

using Vector = Kokkos::View<double *>;
using Given = Kokkos::View<const double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

// y = A x for a line of cells, k(i) the conductivity between cells i - 1 and i.
struct Diffusion {
    Vector y, x, k;
    KOKKOS_INLINE_FUNCTION void operator()(const int i) const
    {
        const int n = x.extent_int(0);
        double sum = 0.1 * x(i);
        if (i > 0)
            sum += k(i) * (x(i) - x(i - 1));
        if (i < n - 1)
            sum += k(i + 1) * (x(i) - x(i + 1));
        y(i) = sum;
    }
};

double dot(Vector x, Vector y)
{
    double sum = 0.0;
    Kokkos::parallel_reduce("dot", x.extent(0), KOKKOS_LAMBDA(const int i, double &s) { s += x(i) * y(i); }, sum);
    return sum;
}

// z = a x + b y
void axpby(Vector z, double a, Vector x, double b, Vector y)
{
    Kokkos::parallel_for("axpby", z.extent(0), KOKKOS_LAMBDA(const int i) { z(i) = a * x(i) + b * y(i); });
}

int solve(Vector x, Vector rhs, Vector k, double tolerance, int most)
{
    const int n = x.extent_int(0);
    Vector r("r", n), p("p", n), q("q", n);
    Kokkos::deep_copy(x, 0.0);
    Kokkos::deep_copy(r, rhs);
    Kokkos::deep_copy(p, r);
    double rr = dot(r, r);
    int steps = 0;
    for (int s = 0; s < most && rr > tolerance * tolerance; ++s) {
        Kokkos::parallel_for("diffusion", n, Diffusion{q, p, k});
        const double alpha = rr / dot(p, q);
        axpby(x, 1.0, x, alpha, p);
        axpby(r, 1.0, r, -alpha, q);
        const double before = rr;
        rr = dot(r, r);
        axpby(p, 1.0, r, rr / before, p);
        ++steps;
    }
    Kokkos::fence();
    return steps;
}

double heat_content(const double *source, const double *conductivity, int n, int most)
{
    Vector x("x", n), rhs("rhs", n), k("k", n + 1);
    Kokkos::deep_copy(rhs, Given(source, n));
    Kokkos::deep_copy(k, Given(conductivity, n + 1));
    solve(x, rhs, k, 1e-12, most);
    return dot(x, x);
}
