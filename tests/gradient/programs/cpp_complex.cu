/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [8] }
x = { shape = [16], random = 1 }
n = 8
---*/
// Complex numbers on both sides.
#include <complex>
#include <vector>

using Complex = std::complex<double>;

__device__ Complex rotate(const Complex &z, double angle) { return z * std::polar(1.0, angle); }

__global__ void turn(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Complex z(in[2 * i], in[2 * i + 1]), sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += rotate(z, 0.3 * k) / (2.0 + z * std::conj(z));
        sum *= Complex(0.5, -0.25);
    }
    out[i] = std::abs(sum) + std::norm(z - sum) * sum.real();
}

void model(double *y, const double *x, int n)
{
    double *d_x, *d_y;
    cudaMalloc(&d_x, 2 * n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemcpy(d_x, x, 2 * n * sizeof(double), cudaMemcpyHostToDevice);
    turn<<<1, 32>>>(d_y, d_x, n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    std::vector<Complex> z;
    for (int i = 0; i < n; ++i)
        z.push_back(Complex(x[2 * i], y[i]));
    Complex product(1.0, 0.5);
    for (int i = 0; i < n; ++i)
        product = product * std::exp(0.1 * z[i]) - z[i] / 4.0;
    y[0] += std::arg(product);
    y[1] += product.imag() * std::sqrt(product).real() + std::log(-product).real();
    cudaFree(d_x);
    cudaFree(d_y);
}
