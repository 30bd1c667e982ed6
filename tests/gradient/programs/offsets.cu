/*---
function = "halves"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [40], random = 1 }
---*/
// A buffer overwritten through offsets: its halves and a quarter.
__global__ void soften(double *out, const double *in, int n)
{
    int i = threadIdx.x;
    if (i < n)
        out[i] = tanh(in[i]) * in[n + i];
}

void halves(double *x)
{
    soften<<<1, 20>>>(x + 20, x, 20);
    soften<<<1, 20>>>(x, x + 10, 10);
    soften<<<1, 20>>>(&x[30], x, 10);
}
