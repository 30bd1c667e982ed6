/*---
function = "total"
wrt = ["x"]
of = ["out"]
[inputs]
x = { shape = [50], random = 1 }
out = { shape = [1], random = 2 }
n = 50
---*/
// What a function returns is not asked for, and the value behind `out` is as it was when the gradient ends: the memory
// on the way to both serves nothing then.
__global__ void collect(double *queue, int *length, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0) {
        int place = atomicAdd(length, 1);
        queue[place] = x[i] * sqrt(x[i]);
    }
}

__global__ void sum_queue(double *sums, const double *queue, const int *length)
{
    double s = 0.0, squares = 0.0;
    for (int k = 0; k < *length; k++) {
        s += sin(queue[k]);
        squares += queue[k] * queue[k];
    }
    sums[0] = s;
    sums[1] = squares;
}

double total(const double *x, double *out, int n)
{
    double *d_x, *queue, *sums, first, second;
    int *length;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&queue, n * sizeof(double));
    cudaMalloc(&sums, 2 * sizeof(double));
    cudaMalloc(&length, sizeof(int));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(length, 0, sizeof(int));
    collect<<<(n + 15) / 16, 16>>>(queue, length, d_x, n);
    sum_queue<<<1, 1>>>(sums, queue, length);
    cudaMemcpy(&first, sums, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&second, sums + 1, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(queue);
    cudaFree(sums);
    cudaFree(length);
    *out = first;
    return second;
}
