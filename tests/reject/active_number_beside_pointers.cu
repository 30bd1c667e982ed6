/*---
function = "advance"
wrt = ["x", "dt"]
of = ["x"]
help = "pass them apart"
---*/
// A struct by value whose number is active as well as what its pointer points to.
typedef struct { double dt; double *x; int n; } Grid;
__global__ void step(Grid g)
{
    int i = threadIdx.x;
    if (i < g.n) g.x[i] += g.dt * g.x[i] * g.x[i];
}
void advance(double *x, double dt, int n)
{
    Grid g;
    g.dt = dt; g.x = x; g.n = n;
    step<<<1, 32>>>(g);  // expected-error: an active struct that holds both numbers and pointers
}
