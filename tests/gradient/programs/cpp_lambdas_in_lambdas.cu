/*---
function = "run"
wrt = ["x", "c", "d", "s"]
of = ["x"]
[inputs]
x = { shape = [11], random = 1 }
c = { shape = [11], random = 2 }
d = { shape = [11], random = 3 }
s = 0.7
n = 11
---*/
// What a lambda captures by reference, a lambda inside captures again: addresses of pointers to const among it, and of
// pointers that are swapped.
__global__ void scale(double *x, const double *y, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * s * sin(y[i]) + 0.1 * y[n - 1 - i];
}

void run(double *x, const double *c, const double *d, double s, int n)
{
    const double *one = c;
    const double *other = d;
    auto step = [&](double t) {
        auto inner = [&](double u) { scale<<<(n + 3) / 4, 4>>>(x, one, u * s, n); };
        inner(t * t);
        s = s + 0.3 * t;
        inner(s);
        const double *kept = one;
        one = other;
        other = kept;
    };
    step(s);
    auto last = [&]() { scale<<<(n + 3) / 4, 4>>>(x, other, s, n); };
    last();
}
