/*---
function = "each"
wrt = ["x", "w"]
of = ["out"]
[inputs]
x = { shape = [64], random_uniform = 1, low = -1.0, high = 1.0 }
w = { shape = [64], random_uniform = 2, low = -1.0, high = 1.0 }
out = { shape = [64], random_uniform = 3, low = -1.0, high = 1.0 }
n = 23
m = 7

[[cases]]
name = "each"

[[cases]]
name = "some"
function = "some"

[[cases]]
name = "none"
function = "some"
inputs.m = 0
---*/
// Buffers that count their owners, assigned in loops: whether an owner was the last one is told by memory that the last
// one frees, which may be another buffer's by then.
#include <math.h>
#include <stdlib.h>

__global__ void mixed(double *out, const double *x, const double *w, int n, int scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] * w[i] + sin(x[i]) * scale * 0.01;
}

struct Buffer {
    double *data;
    int *count;
    int n;

    Buffer(int n) : n(n)
    {
        cudaMalloc(&data, n * sizeof(double));
        cudaMemset(data, 0, n * sizeof(double));
        count = (int *)malloc(2 * sizeof(int));
        count[0] = 1;
        count[1] = n;
    }
    Buffer(const Buffer &o) : data(o.data), count(o.count), n(o.n) { ++*count; }
    void drop()
    {
        if (--*count == 0) {
            cudaFree(data);
            free(count);
        }
    }
    Buffer &operator=(const Buffer &o)
    {
        if (data != o.data) {
            drop();
            data = o.data;
            count = o.count;
            n = o.n;
            ++*count;
        }
        return *this;
    }
    ~Buffer() { drop(); }
};

void launch(double *out, const double *x, const double *w, int n, int scale)
{
    mixed<<<(n + 7) / 8, 8>>>(out, x, w, n, scale);
}

void each(double *out, const double *x, const double *w, int n, int m)
{
    Buffer a(n);
    launch(a.data, x, w, n, m);
    for (int t = 0; t < m; t++) {
        Buffer b(n);
        launch(b.data, a.data, x, n, t);
        a = b;
    }
    launch(out, a.data, w, n, *a.count + a.count[1]);
    if (*a.count == 1)
        launch(out, out, w, n, m);
}

void some(double *out, const double *x, const double *w, int n, int m)
{
    Buffer a(n);
    launch(a.data, x, w, n, m);
    for (int t = 0; t < m; t++) {
        Buffer b(n + t);
        launch(b.data, a.data, x, n, t);
        if (t == 4)
            break;
        if (t % 2)
            continue;
        a = b;
    }
    launch(out, a.data, w, n, *a.count + a.count[1]);
    if (*a.count == 1)
        launch(out, out, w, n, m);
}
