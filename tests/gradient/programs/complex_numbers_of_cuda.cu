/*---
function = "scatter"
wrt = ["field", "eps", "k"]
of = ["out"]
[[cases]]
[cases.inputs]
out = { zeros = [74] }
field = { shape = [74], random = 1 }
eps = { shape = [37], random_uniform = 2, low = 0.5, high = 2.0 }
k = 0.6
n = 37
[[cases]]
function = "scatter_single"
wrt = ["field", "k"]
of = ["out"]
[cases.inputs]
out = { zeros = [74] }
field = { shape = [74], random = 1 }
k = 0.6
n = 37
---*/
// The functions of cuComplex.h, in double and in single precision, on the device and on the host.
#include <cuComplex.h>

__global__ void propagate(cuDoubleComplex *out, const cuDoubleComplex *field, const double *eps, cuDoubleComplex k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    cuDoubleComplex z = field[i], left = field[(i + n - 1) % n];
    cuDoubleComplex phase = make_cuDoubleComplex(cos(eps[i]), sin(eps[i]));
    cuDoubleComplex sum = cuCadd(cuCmul(z, phase), cuCmul(k, cuConj(left)));
    sum = cuCfma(sum, k, cuCsub(z, left));
    sum = cuCdiv(sum, make_cuDoubleComplex(1.5 + cuCabs(z), cuCimag(k) + 0.3));
    out[i] = make_cuDoubleComplex(cuCreal(sum), cuCimag(sum) * cuCreal(z));
}

__global__ void propagate_single(cuComplex *out, const cuFloatComplex *field, cuFloatComplex k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cuComplex z = field[i];
        cuDoubleComplex wide = cuComplexFloatToDouble(cuCmulf(z, k));
        z = cuCdivf(cuCaddf(z, cuComplexDoubleToFloat(wide)), make_cuComplex(2.0f, cuCrealf(k)));
        out[i] = cuCsubf(z, make_cuFloatComplex(cuCabsf(z), cuCimagf(cuConjf(field[i]))));
    }
}

void scatter(double *out, const double *field, const double *eps, double k, int n)
{
    cuDoubleComplex *d_out, *d_field, factor = cuCmul(make_cuDoubleComplex(k, 0.2), make_cuDoubleComplex(0.5, k));
    double *d_eps;
    cudaMalloc(&d_out, n * sizeof(cuDoubleComplex));
    cudaMalloc(&d_field, n * sizeof(cuDoubleComplex));
    cudaMalloc(&d_eps, n * sizeof(double));
    cudaMemcpy(d_field, field, n * sizeof(cuDoubleComplex), cudaMemcpyHostToDevice);
    cudaMemcpy(d_eps, eps, n * sizeof(double), cudaMemcpyHostToDevice);
    propagate<<<(n + 15) / 16, 16>>>(d_out, d_field, d_eps, factor, n);
    propagate<<<(n + 15) / 16, 16>>>(d_field, d_out, d_eps, factor, n);
    cudaMemcpy(out, d_field, n * sizeof(cuDoubleComplex), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_field);
    cudaFree(d_eps);
}

void scatter_single(float *out, const float *field, float k, int n)
{
    cuComplex *d_out, *d_field;
    cudaMalloc(&d_out, n * sizeof(cuComplex));
    cudaMalloc(&d_field, n * sizeof(cuComplex));
    cudaMemcpy(d_field, field, n * sizeof(cuComplex), cudaMemcpyHostToDevice);
    propagate_single<<<(n + 15) / 16, 16>>>(d_out, d_field, make_cuFloatComplex(k, 1.0f - k), n);
    cudaMemcpy(out, d_out, n * sizeof(cuComplex), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_field);
}
