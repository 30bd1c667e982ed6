/*---
function = "total"
wrt = ["x"]
[inputs]
x = { shape = [50], random = 1 }
n = 50
---*/
// The result of an atomicAdd is a place in a queue: whose place it is may change from run to run, the sum does not.
__global__ void collect(double *queue, int *length, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0) {
        int place = atomicAdd(length, 1);
        queue[place] = x[i] * sqrt(x[i]);
    }
}

__global__ void sum_queue(double *out, const double *queue, const int *length)
{
    double s = 0.0;
    for (int k = 0; k < *length; k++)
        s += sin(queue[k]);
    *out = s;
}

double total(const double *x, int n)
{
    double *d_x, *queue, *out, result;
    int *length;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&queue, n * sizeof(double));
    cudaMalloc(&out, sizeof(double));
    cudaMalloc(&length, sizeof(int));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(length, 0, sizeof(int));
    collect<<<(n + 15) / 16, 16>>>(queue, length, d_x, n);
    sum_queue<<<1, 1>>>(out, queue, length);
    cudaMemcpy(&result, out, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(queue);
    cudaFree(out);
    cudaFree(length);
    return result;
}
