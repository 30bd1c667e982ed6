/*---
function = "march"
wrt = ["u"]
of = ["u"]
[inputs]
u = { shape = [40], random = 1 }
n = 40
steps = 3
---*/
// The same loop, linear: nothing is needed, so nothing may be saved.
__global__ void decay(double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = 0.9 * u[i];
}

void march(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++)
        decay<<<(n + 31) / 32, 32>>>(u, n);
}
