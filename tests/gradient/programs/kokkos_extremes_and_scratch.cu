/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [240], random_uniform = 1, low = 0.6, high = 1.4 }
y = { zeros = [120] }
n = 240
---*/
// Kokkos: extremes and where they are, products, scans with a total, layouts, subviews of subviews, scratch of teams.
#include <Kokkos_Core.hpp>

using Kokkos::ALL;
typedef Kokkos::DefaultExecutionSpace Space;
typedef Kokkos::View<double **, Kokkos::LayoutLeft> Columns;
typedef Kokkos::View<double **, Kokkos::LayoutRight> Rows;
typedef Kokkos::TeamPolicy<>::member_type Member;

void model(double *y, const double *x, int n)
{
    Kokkos::initialize();
    {
        const int rows = n / 12, cols = 12;
        Rows a("a", rows, cols);
        Columns b("b", rows, cols);
        Kokkos::View<const double **, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> given(x, rows, cols);
        Kokkos::deep_copy(a, given);
        Kokkos::parallel_for(
            "transposed", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({0, 0}, {rows, cols}),
            KOKKOS_LAMBDA(const int i, const int j) { b(i, j) = a(rows - 1 - i, j) * (1.0 + 0.1 * j); });
        typedef Kokkos::MinLoc<double, int> Least;
        typedef Kokkos::MaxLoc<double, int> Most;
        Least::value_type least;
        Most::value_type most;
        auto flat = Kokkos::View<double *>(a.data(), n);
        Kokkos::parallel_reduce(
            "least", Kokkos::RangePolicy<Space>(2, n),
            KOKKOS_LAMBDA(const int i, Least::value_type &m) {
                const double v = flat(i) * sin(1.0 * i);
                if (v < m.val) {
                    m.val = v;
                    m.loc = i;
                }
            },
            Least(least));
        auto column = Kokkos::subview(b, ALL, 3);
        auto middle = Kokkos::subview(column, Kokkos::make_pair(1, rows - 1));
        Kokkos::parallel_reduce(
            "most", middle.extent(0),
            KOKKOS_LAMBDA(const int i, Most::value_type &m) {
                if (middle(i) > m.val) {
                    m.val = middle(i);
                    m.loc = i;
                }
            },
            Most(most));
        double product = 1.0, total = 0.0;
        Kokkos::parallel_reduce(
            "product", rows, KOKKOS_LAMBDA(const int i, double &p) { p *= column(i); }, Kokkos::Prod<double>(product));
        Kokkos::View<double *> before("before", rows);
        Kokkos::parallel_scan(
            "scan", rows,
            KOKKOS_LAMBDA(const int i, double &sum, const bool last) {
                const double v = b(i, 1) * a(i, 2);
                if (last)
                    before(i) = sum;
                sum += v;
            },
            total);
        Kokkos::View<double *> of_rows("of_rows", rows);
        typedef Kokkos::View<double *, Space::scratch_memory_space, Kokkos::MemoryUnmanaged> Scratch;
        const int bytes = Scratch::shmem_size(cols);
        Kokkos::parallel_for(
            "teams", Kokkos::TeamPolicy<>(rows, 4).set_scratch_size(0, Kokkos::PerTeam(bytes)),
            KOKKOS_LAMBDA(const Member &team) {
                Scratch held(team.team_scratch(0), cols);
                const int i = team.league_rank();
                Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cols), [&](const int j) { held(j) = a(i, j) * a(i, j); });
                team.team_barrier();
                double sum = 0.0;
                Kokkos::parallel_reduce(
                    Kokkos::TeamThreadRange(team, cols), [&](const int j, double &s) { s += held(j) * held((j + 1) % cols); }, sum);
                Kokkos::single(Kokkos::PerTeam(team), [&]() { of_rows(i) = sum + held(0); });
            });
        auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_rows);
        auto scanned = Kokkos::create_mirror_view(before);
        Kokkos::deep_copy(scanned, before);
        for (int i = 0; i < rows; ++i) {
            y[i] = host(i);
            y[20 + i] = scanned(i);
        }
        y[40] = least.val * least.loc;
        y[41] = most.val * most.loc;
        y[42] = product;
        y[43] = total;
    }
    Kokkos::finalize();
}
