/*---
function = "columns"
wrt = ["x", "scale"]
of = ["y"]
[launch]
grid = [2, 2]
block = [6, 3]
[inputs]
y = { zeros = [4, 6] }
x = { shape = [4, 6, 9], random = 1 }
scale = 0.4
---*/
// Rows of a two-dimensional block reduce apart; the row's sum is read back by all its threads, then overwritten.
__global__ void columns(double *y, const double *x, double scale)
{
    __shared__ double part[6][4];
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    const double *mine = x + (block * 6 + threadIdx.x) * 9;
    double sum = 0.0;
    for (int j = threadIdx.y; j < 9; j += 3)
        sum += tanh(scale * mine[j]);
    part[threadIdx.x][threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.y == 0)
        part[threadIdx.x][3] = part[threadIdx.x][0] * part[threadIdx.x][1] + part[threadIdx.x][2];
    __syncthreads();
    part[threadIdx.x][threadIdx.y] *= part[threadIdx.x][3];
    __syncthreads();
    if (threadIdx.y == 1)
        y[block * 6 + threadIdx.x] = part[threadIdx.x][0] + part[(threadIdx.x + 1) % 6][2];
}
