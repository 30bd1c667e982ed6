/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [7, 5] }
x = { shape = [7, 5], random = 1 }
rows = 7
columns = 5

[[cases]]
name = "all"
[[cases]]
name = "nothing"
inputs = { columns = 0 }
---*/
// Rows with room behind them: copies, fills and steps in bytes; columns of a matrix copied as rows of one number;
// rows written again and again.

__device__ double *row_of(double *p, size_t pitch, int row)
{
    return (double *)((char *)p + row * pitch);
}

__global__ void step(double *v, const double *u, size_t pitch, int columns)
{
    const double *from = (const double *)((const char *)u + blockIdx.x * pitch);
    double *to = row_of(v, pitch, blockIdx.x);
    int i = threadIdx.x;
    if (i < columns)
        to[i] += from[i] * from[(i + 1) % columns];
}

__global__ void sums(double *total, double *v, size_t pitch, int columns)
{
    int i = threadIdx.x;
    if (i < columns)
        atomicAdd((double *)((char *)total + (i % 2) * sizeof(double)), row_of(v, pitch, blockIdx.x)[i]);
}

void driver(double *y, const double *x, int rows, int columns)
{
    size_t width = columns * sizeof(double), pitch, other;
    double *u, *v, *flat, *total;
    double *host = (double *)malloc(rows * 6 * sizeof(double)), pair[2];
    cudaMallocPitch((void **)&u, &pitch, width, rows);
    if (cudaMallocPitch(&v, &other, width, rows) != cudaSuccess || other != pitch)
        return;
    cudaMalloc(&flat, rows * 5 * sizeof(double));
    cudaMalloc(&total, 2 * sizeof(double));
    cudaMemset(total, 0, 2 * sizeof(double));
    cudaMemset(flat, 0, rows * 5 * sizeof(double));
    cudaMemcpy2D(host, 6 * sizeof(double), x, 5 * sizeof(double), width, rows, cudaMemcpyHostToHost);
    cudaMemcpy2D(u, pitch, host, 6 * sizeof(double), width, rows, cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; k++) {
        if (k != 1)
            cudaMemset2D(v, pitch, 0, width, rows - k);
        step<<<rows, 8>>>(v, u, pitch, columns);
        cudaMemcpy2DAsync(u, pitch, v, pitch, width, rows - 2, cudaMemcpyDeviceToDevice);
    }
    cudaMemset2DAsync(u, pitch, 0, sizeof(double), columns > 0 ? 1 : 0, 0);
    if (columns > 3) // the second column over the fourth, and over one of `flat`
        cudaMemcpy2D(v + 3, pitch, v + 1, pitch, sizeof(double), rows, cudaMemcpyDeviceToDevice);
    if (columns > 0)
        cudaMemcpy2D(flat + 2, 5 * sizeof(double), v + 1, pitch, sizeof(double), rows, cudaMemcpyDefault);
    sums<<<rows, 8>>>(total, v, pitch, columns);
    cudaMemcpy(y, flat, rows * 5 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy2D(y + 3, 5 * sizeof(double), u, pitch, 2 * sizeof(double), columns > 0 ? rows : 0, cudaMemcpyDeviceToHost);
    cudaMemcpy(pair, total, sizeof(pair), cudaMemcpyDeviceToHost);
    y[0] += pair[0] * pair[1];
    cudaFree(u);
    cudaFree(v);
    cudaFree(flat);
    cudaFree(total);
    free(host);
}
