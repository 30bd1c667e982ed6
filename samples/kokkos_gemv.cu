// A product of a matrix and a vector by teams of Kokkos, a team for each row: the threads of a team fill the team's
// scratch memory together, wait, sum up their part of the row in a nested parallel_reduce, and one of them stores.
// The vector is squared on its way into scratch memory and the row's sum as well, so the gradient is not constant;
// what the kernel adds to y is there twice, as it runs twice.
#include <Kokkos_Core.hpp>

typedef Kokkos::TeamPolicy<> Teams;
typedef Kokkos::View<double *, Kokkos::DefaultExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged> Scratch;

void gemv(Kokkos::View<double *> y, Kokkos::View<double **, Kokkos::LayoutRight> A, Kokkos::View<double *> x)
{
    const int n = A.extent_int(1);
    Teams teams(A.extent_int(0), 8);
    teams.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(n)));
    Kokkos::parallel_for("gemv", teams, KOKKOS_LAMBDA(const Teams::member_type &team) {
        const int i = team.league_rank();
        Scratch squares(team.team_scratch(0), n);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](const int j) { squares(j) = x(j) * x(j); });
        team.team_barrier();
        double sum = 0.0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, n), [&](const int j, double &s) { s += A(i, j) * squares(j); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&]() { y(i) = sum * sum + y(i); });
    });
}

void model(double *y, const double *a, const double *x, int m, int n)
{
    typedef Kokkos::View<const double **, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> Given;
    Kokkos::View<double **, Kokkos::LayoutRight> A("A", m, n);
    Kokkos::View<double *> u("u", n), v("v", m);
    Kokkos::deep_copy(A, Given(a, m, n));
    Kokkos::deep_copy(u, Kokkos::View<const double *, Kokkos::HostSpace>(x, n));
    gemv(v, A, u);
    gemv(v, A, u);
    Kokkos::deep_copy(Kokkos::View<double *, Kokkos::HostSpace>(y, m), v);
}
