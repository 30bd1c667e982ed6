/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "give it another name"
---*/
// A struct of the program has the name of one by which hetad does what cuFFT does.
#include <cufft.h>

struct fft_plan {  // expected-error @8: 'fft_plan' is a name in hetad's own text of cufft.h
    int length;
    double scale;
};
__global__ void weigh(double *y, const double *x, fft_plan p)
{
    if (threadIdx.x < p.length)
        y[threadIdx.x] = p.scale * x[threadIdx.x];
}
void f(double *y, const double *x, int n)
{
    fft_plan p = {n, 2.0};
    weigh<<<1, 64>>>(y, x, p);
}
