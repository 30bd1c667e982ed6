/*---
function = "misfit"
wrt = ["m"]
breaks = "adjoint"
[right.inputs]
data = { shape = [20], random = 11 }
[inputs]
m = { shape = [20], random = 12 }
data = { shape = [20], random = 12 }
n = 20
---*/
// A norm of residuals that are all zero, taken on the host behind a sum in atomics.
__global__ void residuals(double *sum, const double *m, const double *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double r = m[i] - data[i];
        atomicAdd(sum, r * r);
    }
}

double misfit(const double *m, const double *data, int n)
{
    double *sum, total;
    cudaMalloc(&sum, sizeof(double));
    cudaMemset(sum, 0, sizeof(double));
    residuals<<<(n + 7) / 8, 8>>>(sum, m, data, n);
    cudaMemcpy(&total, sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(sum);
    return 0.5 * sqrt(total); // breaks
}
