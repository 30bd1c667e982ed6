/*---
function = "chain"
wrt = ["a", "b"]
of = ["a", "b"]
[inputs]
a = { shape = [20], random = 1 }
b = { shape = [20], random = 2 }
---*/
// Callees name their parameters otherwise than their callers, and one call passes them crosswise.
__device__ double mixed(double b, double a)
{
    return b * b * a;
}

__global__ void kernel(double *b, const double *a)
{
    int i = threadIdx.x;
    b[i] = mixed(a[i], b[i]) + mixed(b[i], a[i]);
}

void inner(double *b, double *a)
{
    kernel<<<1, 20>>>(b, a);
}

void chain(double *a, double *b)
{
    inner(a, b);
    inner(b, a);
}
