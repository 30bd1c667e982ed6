/*---
function = "run"
wrt = ["x", "w"]
of = ["x"]
---*/
// Whole structs are copied field by field; so many bytes are not a whole number of them.
#include <string.h>

typedef struct {
    double *u;
    double w;
    int n;
} Layer;

__global__ void scale(double *u, double w)
{
    u[threadIdx.x] *= w;
}

void run(double *x, double w)
{
    Layer a, b;
    a.u = x;
    a.w = w;
    memcpy(&b, &a, sizeof(double *) + sizeof(double));  // expected-error: pointers to active memory are copied or set as bytes
    double factor = b.w;
    scale<<<1, 8>>>(b.u, factor);
}
