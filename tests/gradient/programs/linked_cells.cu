/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [40], random_uniform = 3, low = 0.4, high = 1.7 }
y = { zeros = [40] }
n = 40
---*/
// Lists that atomicExch links, one for each cell, walked by all pairs of neighbours.
__global__ void lists(int *head, int *next, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int c = (int)(x[i] * 4); next[i] = atomicExch(&head[c], i); }
}
__global__ void pairs(double *y, const int *head, const int *next, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = (int)(x[i] * 4);
    double s = 0, k = 0;
    for (int d = c - 1; d <= c + 1; d++) {
        if (d < 0 || d > 7) continue;
        for (int j = head[d]; j >= 0; j = next[j]) {
            double r = x[i] - x[j];
            if (j == i || r * r > 0.03) continue;
            s += r * x[j] / (0.1 + r * r);
            k += 1;
        }
    }
    y[i] = k > 0 ? s / k + y[i] : -x[i];
}
void run(double *y, double *x, int n)
{
    int *head, *next;
    cudaMalloc(&head, 8 * sizeof(int)); cudaMalloc(&next, n * sizeof(int));
    for (int s = 0; s < 3; s++) {
        cudaMemset(head, 0xff, 8 * sizeof(int));
        lists<<<4, 11>>>(head, next, x, n);
        pairs<<<4, 11>>>(y, head, next, x, n);
    }
    cudaFree(head); cudaFree(next);
}
