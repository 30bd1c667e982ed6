/*---
function = "collect"
wrt = ["x"]
[inputs]
x = { shape = [5], random_uniform = 1, low = 0.7, high = 1.2 }
n = 5
---*/
// A vector on the host and one on the device that grow as they fill.
#include <stdlib.h>
typedef struct {
    double *data;
    int count, room;
} Vec;
static void push(Vec *v, double x)
{
    if (v->count == v->room) {
        v->room = 2 * v->room + 1;
        v->data = (double *)realloc(v->data, v->room * sizeof(double));
    }
    v->data[v->count++] = x;
}

static void grow(double **d, int *have, int want)
{
    if (want <= *have)
        return;
    double *p;
    cudaMalloc((void **)&p, want * sizeof(double));
    cudaMemset(p, 0, want * sizeof(double));
    if (*have) {
        cudaMemcpy(p, *d, *have * sizeof(double), cudaMemcpyDeviceToDevice);
        cudaFree(*d);
    }
    *d = p;
    *have = want;
}

__global__ void scale(double *d, int from, int n, double f)
{
    int i = threadIdx.x;
    if (i < n)
        d[from + i] = d[from + i] * f + f * f;
}

double collect(const double *x, int n)
{
    Vec v = {NULL, 0, 0};
    double *d = NULL;
    int have = 0;
    for (int k = 0; k < 6; k++) {
        grow(&d, &have, n + 2 * (k / 2));
        if (k == 0)
            cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
        scale<<<1, 32>>>(d, k, n - 2, 0.5 + 0.1 * k);
        double y;
        cudaMemcpy(&y, d + k, sizeof y, cudaMemcpyDeviceToHost);
        push(&v, y * y);
        if (v.count > 2)
            scale<<<1, 32>>>(d, 0, have, v.data[v.count - 3]);
    }
    double s = 0;
    for (int i = 0; i < v.count; i++)
        s += v.data[i] * (i + 1);
    free(v.data);
    cudaFree(d);
    return s;
}
