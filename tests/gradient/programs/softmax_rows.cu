/*---
function = "softmax"
wrt = ["x"]
of = ["y"]
reference = { x = "(lambda s: s * (adj_y - (s * adj_y).sum(1, keepdims=True)))(np.exp(x) / np.exp(x).sum(1, keepdims=True))" }
[inputs]
y = { zeros = [5, 37] }
x = { shape = [5, 37], random = 1 }
rows = 5
columns = 37
---*/
// One block a row: the greatest element and the sum of exponentials by two trees in the same shared memory.
#define B 16

__global__ void softmax_kernel(double *y, const double *x, int columns)
{
    __shared__ double work[B];
    int t = threadIdx.x;
    const double *from = x + blockIdx.x * columns;
    double *to = y + blockIdx.x * columns;
    double greatest = -1e300;
    for (int j = t; j < columns; j += B)
        greatest = fmax(greatest, from[j]);
    work[t] = greatest;
    __syncthreads();
    for (int s = B / 2; s > 0; s /= 2) {
        if (t < s)
            work[t] = fmax(work[t], work[t + s]);
        __syncthreads();
    }
    greatest = work[0];
    __syncthreads();
    double sum = 0.0;
    for (int j = t; j < columns; j += B)
        sum += exp(from[j] - greatest);
    work[t] = sum;
    __syncthreads();
    for (int s = B / 2; s > 0; s /= 2) {
        if (t < s)
            work[t] += work[t + s];
        __syncthreads();
    }
    for (int j = t; j < columns; j += B)
        to[j] = exp(from[j] - greatest) / work[0];
}

void softmax(double *y, const double *x, int rows, int columns)
{
    softmax_kernel<<<rows, B>>>(y, x, columns);
}
