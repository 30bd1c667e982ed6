/*---
function = "march"
wrt = ["u"]
of = ["u"]
[inputs]
u = { shape = [40], random_uniform = 1, low = -0.5, high = 0.5 }
n = 40
steps = 3
---*/
// In place, in a loop: each step's values are saved before they are overwritten.
__global__ void react(double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = u[i] + 0.1 * u[i] * (1.0 - u[i]);
}

void march(double *u, int n, int steps)
{
    for (int t = 0; t < steps; t++)
        react<<<(n + 31) / 32, 32>>>(u, n);
}
