/*---
function = "lines"
wrt = ["signal", "weights"]
of = ["signal", "norms"]
defines = { real = "double", complex = "double2", TO = "D2Z", BACK = "Z2D", BOTH = "Z2Z" }
[inputs]
signal = { shape = [36], random = 1 }
weights = { shape = [12], random = 2 }
norms = { zeros = [36] }
n = 12
batch = 3
steps = 2

[[cases]]
name = "even"

[[cases]]
name = "float"
defines = { real = "float", complex = "float2", TO = "R2C", BACK = "C2R", BOTH = "C2C" }

[[cases]]
name = "odd"
[cases.inputs]
signal = { shape = [18], random = 1 }
weights = { shape = [9], random = 2 }
norms = { zeros = [18] }
n = 9
batch = 2

[[cases]]
name = "two"
[cases.inputs]
signal = { shape = [8], random = 1 }
weights = { shape = [2], random = 2 }
norms = { zeros = [8] }
n = 2
batch = 4
---*/
// Many real signals at once, to half spectra and back, which are filtered, and whose whole spectra give their power; a
// spectrum that serves twice, so that a transform must leave alone what it is given.
#include <cufft.h>

__global__ void filter(complex *spectrum, const real *weights, int n, int batch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, half = n / 2 + 1;
    if (i < half * batch) {
        real w = weights[i % half] / n;
        spectrum[i].x *= w;
        spectrum[i].y *= w;
    }
}

__global__ void bend(real *signal, const real *other, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        signal[i] = sin(signal[i]) + other[i] * other[i];
}

__global__ void as_complex(complex *out, const real *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i].x = in[i];
        out[i].y = in[count - 1 - i];
    }
}

__global__ void power(real *norms, const complex *spectrum, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        norms[i] = spectrum[i].x * spectrum[i].x + 2 * spectrum[i].y;
}

#define CALL(to) cufftExec##to
#define EXEC(to) CALL(to)
#define KIND(to) CUFFT_##to
#define TYPE(to) KIND(to)

void lines(real *signal, const real *weights, real *norms, int n, int batch, int steps)
{
    cufftHandle to, back, both;
    cudaStream_t stream;
    int count = n * batch, blocks = (count + 15) / 16, half = (n / 2 + 1) * batch;
    real *d_signal, *d_weights, *d_norms, *other;
    complex *spectrum, *whole, *result;
    cudaStreamCreate(&stream);
    cufftPlan1d(&to, n, TYPE(TO), batch);
    cufftPlan1d(&back, n, TYPE(BACK), batch);
    cufftPlan1d(&both, n, TYPE(BOTH), batch);
    cufftSetStream(to, stream);
    cudaMalloc((void **)&d_signal, count * sizeof(real));
    cudaMalloc((void **)&other, count * sizeof(real));
    cudaMalloc((void **)&d_norms, count * sizeof(real));
    cudaMalloc((void **)&d_weights, n * sizeof(real));
    cudaMalloc((void **)&spectrum, half * sizeof(complex));
    cudaMalloc((void **)&whole, count * sizeof(complex));
    cudaMalloc((void **)&result, count * sizeof(complex));
    cudaMemcpy(d_signal, signal, count * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_weights, weights, n * sizeof(real), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        EXEC(TO)(to, d_signal, spectrum);
        cudaStreamSynchronize(stream);
        filter<<<blocks, 16>>>(spectrum, d_weights, n, batch);
        EXEC(BACK)(back, spectrum, d_signal);
        filter<<<blocks, 16>>>(spectrum, d_weights, n, batch);
        EXEC(BACK)(back, spectrum, other);
        bend<<<blocks, 16>>>(d_signal, other, count);
    }
    as_complex<<<blocks, 16>>>(whole, d_signal, count);
    EXEC(BOTH)(both, whole, result, CUFFT_INVERSE);
    power<<<blocks, 16>>>(d_norms, result, count);
    cudaMemcpy(signal, d_signal, count * sizeof(real), cudaMemcpyDeviceToHost);
    cudaMemcpy(norms, d_norms, count * sizeof(real), cudaMemcpyDeviceToHost);
    cufftDestroy(to);
    cufftDestroy(back);
    cufftDestroy(both);
    cudaStreamDestroy(stream);
    cudaFree(d_signal);
    cudaFree(other);
    cudaFree(d_norms);
    cudaFree(d_weights);
    cudaFree(spectrum);
    cudaFree(whole);
    cudaFree(result);
}
