/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [30], random_uniform = 3, low = 0.4, high = 1.7 }
y = { zeros = [30] }
n = 30
---*/
// A branch whose condition is a number that it changes, not a bool, in structs in managed memory.
#include <math.h>
struct Cell { double v; int tag; double w[2]; };
__global__ void cells(Cell *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cell me = c[i];
    if (me.tag == 2) { me.w[me.tag - 1] = me.v * me.w[0]; me.tag = 0; }
    else if (me.tag) me.w[0] += sin(me.v);
    for (int k = 0; k < 2; ++k) me.v += me.w[k] * me.w[1 - k];
    me.tag += i % 2;
    c[i] = me;
}
void run(double *y, const double *x, int n)
{
    Cell *c, *p;
    cudaStream_t st[2];
    for (int s = 0; s < 2; s++) cudaStreamCreate(&st[s]);
    cudaMallocManaged(&c, n * sizeof(Cell));
    for (int i = 0; i < n; i++) { c[i].v = x[i]; c[i].tag = i % 3; c[i].w[0] = x[n - 1 - i] * 0.5; c[i].w[1] = 0.3; }
    for (int s = 0; s < 4; s++) {
        int half = n / 2;
        cells<<<2, 8, 0, st[0]>>>(c, half);
        cells<<<2, 8, 0, st[1]>>>(c + half, n - half);
        cudaStreamSynchronize(st[0]); cudaStreamSynchronize(st[1]);
        p = c + s;
        p->v *= p[1].w[0]; p->w[1] = log(1 + p->v * p->v);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) y[i] = c[i].v + c[i].w[0] * c[i].w[1] * (c[i].tag + 1);
    cudaFree(c);
    for (int s = 0; s < 2; s++) cudaStreamDestroy(st[s]);
}
