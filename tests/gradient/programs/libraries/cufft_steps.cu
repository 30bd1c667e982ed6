/*---
function = "march"
wrt = ["signal", "weights"]
of = ["signal"]
[inputs]
signal = { shape = [36], random = 1 }
weights = { shape = [12], random = 2 }
n = 12
batch = 3
steps = 2
---*/
// Transforms with cuFFT in a function of the host that is called from several places.
#include <cufft.h>

__global__ void weigh(cufftDoubleComplex *spectrum, const double *weights, int n, int batch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * batch) {
        cufftDoubleComplex v = spectrum[i];
        double w = weights[i % n];
        spectrum[i] = make_double2(w * v.x - v.y / n, w * v.y + v.x * v.x / n);
    }
}

static void step(cufftHandle plan, cufftDoubleComplex *signal, const double *weights, int n, int batch)
{
    cufftExecZ2Z(plan, signal, signal, CUFFT_FORWARD);
    weigh<<<(n * batch + 15) / 16, 16>>>(signal, weights, n, batch);
    cufftExecZ2Z(plan, signal, signal, CUFFT_INVERSE);
    weigh<<<(n * batch + 15) / 16, 16>>>(signal, weights, n, batch);
}

void march(cufftDoubleComplex *signal, const double *weights, int n, int batch, int steps)
{
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_Z2Z, batch);
    step(plan, signal, weights, n, batch);
    for (int t = 0; t < steps; t++)
        step(plan, signal, weights, n, batch - 1);
    step(plan, signal, weights, n, batch);
    cufftDestroy(plan);
}
