/*---
function = "filter"
wrt = ["signal", "weights"]
of = ["signal"]
[inputs]
signal = { shape = [36], random = 1 }
weights = { shape = [12], random = 2 }
n = 12
batch = 3

[[cases]]
name = "twelve"

[[cases]]
name = "prime"
[cases.inputs]
signal = { shape = [14], random = 1 }
weights = { shape = [7], random = 2 }
n = 7
batch = 2

[[cases]]
name = "one"
[cases.inputs]
signal = { shape = [5], random = 1 }
weights = { shape = [1], random = 2 }
n = 1
batch = 5
---*/
// A filter that is not linear, of several complex signals at once, transformed in place with cuFFT.
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

void filter(cufftDoubleComplex *signal, const double *weights, int n, int batch)
{
    cufftHandle plan;
    size_t bytes = (size_t)n * batch * sizeof(cufftDoubleComplex);
    cufftDoubleComplex *d_signal;
    double *d_weights;
    if (cufftPlan1d(&plan, n, CUFFT_Z2Z, batch) != CUFFT_SUCCESS)
        return;
    cudaMalloc((void **)&d_signal, bytes);
    cudaMalloc((void **)&d_weights, n * sizeof(double));
    cudaMemcpy(d_signal, signal, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_weights, weights, n * sizeof(double), cudaMemcpyHostToDevice);
    cufftExecZ2Z(plan, d_signal, d_signal, CUFFT_FORWARD);
    weigh<<<(n * batch + 15) / 16, 16>>>(d_signal, d_weights, n, batch);
    cufftExecZ2Z(plan, d_signal, d_signal, CUFFT_INVERSE);
    cudaMemcpy(signal, d_signal, bytes, cudaMemcpyDeviceToHost);
    cufftDestroy(plan);
    cudaFree(d_signal);
    cudaFree(d_weights);
}
