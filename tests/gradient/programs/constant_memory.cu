/*---
function = "filter"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [30] }
x = { shape = [30], random = 1 }
w = { shape = [5], random = 2 }
n = 30

[[cases]]
name = "inactive"

[[cases]]
name = "active"
wrt = ["x", "w"]
---*/
// A filter in constant memory, copied there by cudaMemcpyToSymbol; a whole number and a struct there as well.
struct options {
    int shift;
    double gain;
};

__constant__ double weights[5];
__constant__ int length;
__constant__ struct options option = {1, 0.5};

__global__ void filter_kernel(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
    for (int k = 0; k < length; k++)
        sum += weights[k] * x[(i + k + option.shift) % n];
    y[i] = option.gain * sum * sum;
}

void filter(double *y, const double *x, const double *w, int n)
{
    int five = 5;
    cudaMemcpyToSymbol(weights, w, 5 * sizeof(double));
    cudaMemcpyToSymbol(length, &five, sizeof(int));
    filter_kernel<<<(n + 7) / 8, 8>>>(y, x, n);
}
