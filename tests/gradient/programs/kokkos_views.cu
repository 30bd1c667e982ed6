/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [60], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [60] }
n = 5
---*/
// Views of Kokkos: static extents, layouts, parts by ranges and indices, copies, sharing, atomic access, mirrors.
#include <Kokkos_Core.hpp>

typedef Kokkos::View<double *[3]> Points;
typedef Kokkos::View<double ***, Kokkos::LayoutRight> Box;

Kokkos::View<double *> row_of(Box box, int i, int j)
{
    return Kokkos::subview(box, i, j, Kokkos::ALL);
}

void model(double *y, const double *x, int n)
{
    Box box("box", n, 4, 3);
    auto host = Kokkos::create_mirror_view(box);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 3; ++k)
                host(i, j, k) = x[(i * 4 + j) * 3 + k];
    Kokkos::deep_copy(box, host);
    Points points("points", n);
    Kokkos::deep_copy(points, 0.5);
    Kokkos::View<double, Kokkos::MemoryTraits<Kokkos::Atomic>> total("total");
    Kokkos::parallel_for(n, KOKKOS_LAMBDA(int i) {
        auto corner = Kokkos::subview(box, i, Kokkos::ALL, 1);
        for (int d = 0; d < 3; ++d) {
            points(i, d) += corner(d) * box(i, 3, d);
            total() += points(i, d);
        }
    });
    auto middle = Kokkos::subview(points, Kokkos::make_pair(1, n - 1), Kokkos::ALL());
    auto kept = row_of(box, 1, 2);
    {
        Points copy = points;
        points = Points("again", n);
        Kokkos::deep_copy(points, copy);
    }
    Kokkos::parallel_for(
        "scale", Kokkos::RangePolicy<>(0, middle.extent(0)), KOKKOS_LAMBDA(const size_t i) {
            for (int d = 0; d < 3; ++d)
                middle(i, d) *= kept(d) + points(i, d);
        });
    double sum;
    Kokkos::deep_copy(sum, Kokkos::View<double>(total.data()));
    Points packed("packed", n - 2);
    Kokkos::deep_copy(packed, middle);
    auto back = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
    auto rest = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points);
    for (int i = 0; i < (int)middle.extent(0); ++i)
        for (int d = 0; d < 3; ++d)
            y[3 * i + d] = back(i, d) * sum + rest(i, d);
}
