/*---
function = "grow"
wrt = ["x"]
of = ["x"]
breaks = "value"
launch_number = 4
[right.inputs]
steps = 3
[inputs]
x = { values = [0.5, 1.0, 0.25, 0.75, 0.1] }
n = 5
steps = 6
---*/
// exp of exp of exp: in the fourth launch it overflows.
__global__ void step(float *x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        x[i] = expf(x[i]) * 0.5f + x[i]; // breaks
}

void grow(float *x, int n, int steps)
{
    for (int t = 0; t < steps; ++t)
        step<<<1, 32>>>(x, n);
}
