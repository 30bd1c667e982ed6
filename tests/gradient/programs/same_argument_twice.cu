/*---
function = "doubled"
wrt = ["x"]
of = ["x"]
reference = { x = "(2 * x + 3) * adj_x" }
[inputs]
x = { shape = [25], random = 1 }
---*/
// One array for two parameters: what is added to one is read through the other.
__global__ void accumulate(double *out, const double *in)
{
    int i = threadIdx.x;
    out[i] = out[i] * in[i] + 3.0 * in[i];
}

void doubled(double *x)
{
    accumulate<<<1, 25>>>(x, x);
}
