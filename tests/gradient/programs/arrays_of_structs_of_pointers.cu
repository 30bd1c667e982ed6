/*---
[[cases]]
name = "numbers_and_pointers"
function = "levels"
wrt = ["x", "y", "w"]
of = ["x", "y"]
inputs = { x = { shape = [13], random = 1 }, y = { shape = [13], random = 2 }, n = 13, w = 0.45 }

[[cases]]
name = "elements_swapped"
function = "swapped"
wrt = ["x", "y"]
of = ["x", "y"]
inputs = { x = { shape = [13], random = 1 }, y = { shape = [13], random = 2 }, n = 13 }
---*/
// Arrays of structs, on the host, that hold device pointers of the caller.
typedef struct { double w; double *a; } Level;
typedef struct { int n; double *a, *b; } Pair;

__global__ void mix(double *a, const double *b, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] * b[i] * w + a[i];
}

__global__ void mix_pair(Pair p, double w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n)
        p.a[i] = p.a[i] * p.b[i] * w + p.a[i];
}

void levels(double *x, double *y, int n, double w)
{
    Level l[2];
    l[0].w = w;
    l[0].a = x;
    l[1].w = 0.8;
    l[1].a = y;
    double *other[2] = {y, x};
    for (int r = 0; r < 3; r++)
        mix<<<(n + 4) / 5, 5>>>(l[r % 2].a, other[r % 2], l[r % 2].w, n);
}

void swapped(double *x, double *y, int n)
{
    Pair p[2];
    p[0].n = n;
    p[0].a = x;
    p[0].b = y;
    p[1].n = n - 2;
    p[1].a = y;
    p[1].b = x;
    for (int r = 0; r < 3; r++) {
        mix_pair<<<(n + 4) / 5, 5>>>(p[r % 2], 0.3 + r);
        Pair t = p[0];
        p[0] = p[1];
        p[1] = t;
    }
}
