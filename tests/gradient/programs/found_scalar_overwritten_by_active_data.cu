/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [3], random_uniform = 1, low = -1.0, high = 1.0 }
s = 0.4

[[cases]]
name = "kernel"

[[cases]]
name = "host"
function = "host"
---*/
// A number that is passed by value, and is not in wrt, is overwritten with what depends on x.
__global__ void shift(double *w, double c)
{
    int i = threadIdx.x;
    c = c + w[i];
    w[i] = sin(c) * w[i];
}

void run(double *x, double s)
{
    shift<<<1, 3>>>(x, s);
}

void host(double *x, double s)
{
    s = s + x[0];
    x[1] = sin(s) * x[1];
}
