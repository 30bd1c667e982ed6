/*---
function = "relax"
wrt = ["u"]
of = ["u"]
error = "RaceError"
help = "another array"
---*/
// A sweep over neighbours in one launch: thread i reads what thread i + 1 may have stored already.
__global__ void sweep(double *u, const double *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        u[i] = 0.5 * u[i + 1] + f[i]; // expected-error @22: a race in kernel sweep: thread (0, 0, 0) of a block reads a cell of u here, thread (1, 0, 0) writes it in line 13, and nothing orders the two
}

void relax(double *u, const double *f, int n)
{
    sweep<<<(n + 127) / 128, 128>>>(u, f, n);
}
