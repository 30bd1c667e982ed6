/*---
function = "objective"
wrt = ["x", "target"]
[inputs]
x = { shape = [8], random = 1 }
target = { shape = [8], random = 2 }
---*/
// Scalars and stack arrays on the host, computed from what a kernel left, and passed on to the next one.
#define N 8

__global__ void shift(double *y, const double *x, double by)
{
    y[threadIdx.x] = (x[threadIdx.x] - by) * (x[threadIdx.x] - by);
}

double objective(const double *x, const double *target)
{
    double host[N];
    double total = 0.0, mean = 0.0;
    double *d_x, *d_y;
    cudaMalloc(&d_x, sizeof(host));
    cudaMalloc(&d_y, sizeof(host));
    cudaMemcpy(d_x, x, sizeof(host), cudaMemcpyHostToDevice);
    shift<<<1, N>>>(d_y, d_x, 0.0);
    cudaMemcpy(host, d_y, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        mean += host[i] / N;
    shift<<<1, N>>>(d_y, d_x, mean);
    cudaMemcpy(host, d_y, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        total += (host[i] - target[i]) * (host[i] - target[i]);
    cudaFree(d_x);
    cudaFree(d_y);
    return sqrt(total);
}
