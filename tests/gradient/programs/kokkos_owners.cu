/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [20], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [20] }
n = 20
steps = 3

[[cases]]

[[cases]]
[cases.inputs]
steps = 0
---*/
// Views that change hands: in members, by assignment in branches and loops, by swapping; how many share them is used.
#include <Kokkos_Core.hpp>

using Vector = Kokkos::View<double *>;
using Given = Kokkos::View<const double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
using Taken = Kokkos::View<double *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

struct Pair {
    Vector now, next;
    explicit Pair(int n) : now("now", n), next("next", n) {}
    void turn()
    {
        Vector other = now;
        now = next;
        next = other;
    }
};

void scaled(Vector to, Vector from, double factor)
{
    Kokkos::parallel_for(from.extent(0), KOKKOS_LAMBDA(const int i) { to(i) = factor * from(i) * from(i); });
}

void model(const double *x, double *y, int n, int steps)
{
    Pair pair(n);
    Kokkos::deep_copy(pair.now, Given(x, n));
    Vector kept;
    for (int t = 0; t < steps; ++t) {
        scaled(pair.next, pair.now, 0.5 + 0.1 * pair.now.use_count());
        if (t == 1)
            kept = pair.now;
        pair.turn();
    }
    if (kept.extent(0) > 0)
        scaled(pair.now, kept, 1.0 * kept.use_count());
    for (int t = 0; t < steps; ++t) {
        Vector fresh("fresh", n);
        scaled(fresh, pair.now, 1.0 * fresh.use_count());
        pair.next = fresh;
        pair.turn();
    }
    Kokkos::deep_copy(Taken(y, n), pair.now);
}
