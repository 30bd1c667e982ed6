/*---
function = "model"
wrt = ["x", "charge"]
of = ["energy", "x"]
[inputs]
x = { shape = [24, 3], random_uniform = 1, low = 0.0, high = 3.0 }
charge = { shape = [24], random = 2 }
energy = { zeros = [1] }
n = 24
steps = 2
---*/
// Molecular dynamics in Kokkos: a system of views with methods, neighbours counted and listed, functors with tags.
#include <Kokkos_Core.hpp>

#include <cmath>

using Vectors = Kokkos::View<double *[3]>;
using Numbers = Kokkos::View<double *>;
using Counts = Kokkos::View<int *>;
using Lists = Kokkos::View<int **>;

struct System {
    int atoms;
    Vectors x, v, f;
    Numbers q;
    System(int n) : atoms(n), x("x", n), v("v", n), f("f", n), q("q", n) {}
};

class Neighbours {
public:
    Counts count;
    Lists list;
    Neighbours(int n, int most) : count("count", n), list("list", n, most) {}
    void build(const Vectors &x, double cut)
    {
        auto counts = count;
        auto lists = list;
        const int n = x.extent(0);
        Kokkos::parallel_for("build", n, KOKKOS_LAMBDA(const int i) {
            int found = 0;
            for (int j = 0; j < n; ++j) {
                const double a = x(i, 0) - x(j, 0), b = x(i, 1) - x(j, 1), c = x(i, 2) - x(j, 2);
                if (j != i && a * a + b * b + c * c < cut * cut)
                    lists(i, found++) = j;
            }
            counts(i) = found;
        });
        Kokkos::fence();
    }
};

struct Coulomb {
    struct Forces {};
    struct Energy {};
    Vectors x, f;
    Numbers q;
    Counts count;
    Lists list;
    double screening;

    KOKKOS_INLINE_FUNCTION double distance(int i, int j, double *d) const
    {
        double sum = 0.01;
        for (int k = 0; k < 3; ++k) {
            d[k] = x(i, k) - x(j, k);
            sum += d[k] * d[k];
        }
        return Kokkos::sqrt(sum);
    }
    KOKKOS_INLINE_FUNCTION void operator()(Forces, const int i) const
    {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int m = 0; m < count(i); ++m) {
            double d[3];
            const int j = list(i, m);
            const double r = distance(i, j, d);
            const double s = q(i) * q(j) * exp(-screening * r) * (1.0 + screening * r) / (r * r * r);
            for (int k = 0; k < 3; ++k)
                sum[k] += s * d[k];
        }
        for (int k = 0; k < 3; ++k)
            f(i, k) = sum[k];
    }
    KOKKOS_INLINE_FUNCTION void operator()(Energy, const int i, double &sum) const
    {
        for (int m = 0; m < count(i); ++m) {
            double d[3];
            const double r = distance(i, list(i, m), d);
            sum += 0.5 * q(i) * q(list(i, m)) * exp(-screening * r) / r;
        }
    }
};

void model(double *energy, double *x, const double *charge, int n, int steps)
{
    Kokkos::ScopeGuard guard;
    System system(n);
    Kokkos::View<double *[3], Kokkos::LayoutRight, Kokkos::HostSpace> given(x, n);
    auto host = Kokkos::create_mirror_view(system.x);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            host(i, k) = given(i, k);
    Kokkos::deep_copy(system.x, host);
    Kokkos::deep_copy(system.q, Kokkos::View<const double *, Kokkos::HostSpace>(charge, n));
    Kokkos::deep_copy(system.v, 0.0);
    Neighbours neighbours(n, n);
    neighbours.build(system.x, 1.7);
    const Coulomb coulomb{system.x, system.f, system.q, neighbours.count, neighbours.list, 0.4};
    for (int s = 0; s < steps; ++s) {
        Kokkos::parallel_for("forces", Kokkos::RangePolicy<Coulomb::Forces>(0, n), coulomb);
        auto xs = system.x;
        auto vs = system.v;
        auto fs = system.f;
        Kokkos::parallel_for(
            "move", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {n, 3}), KOKKOS_LAMBDA(const int i, const int k) {
                vs(i, k) += 0.02 * fs(i, k);
                xs(i, k) += 0.02 * vs(i, k);
            });
    }
    double total = 0.0, kinetic = 0.0;
    Kokkos::parallel_reduce("energy", Kokkos::RangePolicy<Coulomb::Energy>(0, n), coulomb, total);
    auto vs = system.v;
    Kokkos::parallel_reduce(
        n, KOKKOS_LAMBDA(const int i, double &sum) {
            auto v = Kokkos::subview(vs, i, Kokkos::ALL);
            for (int k = 0; k < 3; ++k)
                sum += 0.5 * v(k) * v(k);
        },
        kinetic);
    energy[0] = total + kinetic;
    Kokkos::deep_copy(host, system.x);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            given(i, k) = host(i, k);
}
