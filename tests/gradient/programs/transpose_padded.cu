/*---
function = "transpose"
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y.T" }
[inputs]
y = { zeros = [19, 21] }
x = { shape = [21, 19], random = 1 }
rows = 21
columns = 19
---*/
// A transpose through a padded tile, each thread moving several rows; blocks reach over the edges.
#define TILE 8
#define ROWS 4

__global__ void transpose_kernel(float *y, const float *x, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    int i = blockIdx.x * TILE + threadIdx.x;
    int j = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (i < columns && j + k < rows)
            tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * columns + i];
    __syncthreads();
    i = blockIdx.y * TILE + threadIdx.x;
    j = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (i < rows && j + k < columns) {
            float v = tile[threadIdx.x][threadIdx.y + k];
            y[(j + k) * rows + i] = v * v;
        }
}

void transpose(float *y, const float *x, int rows, int columns)
{
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE), block(TILE, ROWS);
    transpose_kernel<<<grid, block>>>(y, x, rows, columns);
}
