/*---
function = "cheapest"
wrt = ["wall"]
of = ["cost"]
[inputs]
cost = { zeros = [17] }
wall = { shape = [6, 17], random_uniform = 1, low = 0.0, high = 5.0 }
rows = 6
columns = 17

[[cases]]
name = "row_by_row"

[[cases]]
name = "in_shared"
function = "cheapest_in_shared"
---*/
// The cheapest path down a grid: a minimum of three at each step, whose kinks the data avoid.
__global__ void row(double *next, const double *old, const double *wall, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    double least = old[j];
    if (j > 0)
        least = fmin(least, old[j - 1]);
    if (j < columns - 1)
        least = fmin(least, old[j + 1]);
    next[j] = wall[j] + least;
}

void cheapest(double *cost, const double *wall, int rows, int columns)
{
    double *a, *b;
    size_t bytes = columns * sizeof(double);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMemcpy(a, wall, bytes, cudaMemcpyDeviceToDevice);
    for (int i = 1; i < rows; i++) {
        row<<<(columns + 7) / 8, 8>>>(b, a, wall + i * columns, columns);
        double *other = a;
        a = b;
        b = other;
    }
    cudaMemcpy(cost, a, bytes, cudaMemcpyDeviceToDevice);
    cudaFree(a);
    cudaFree(b);
}

#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void rows_in_shared(double *cost, const double *wall, int rows, int columns)
{
    __shared__ double previous[20], result[20];
    int t = threadIdx.x;
    if (t < columns)
        previous[t] = wall[t];
    __syncthreads();
    for (int i = 1; i < rows; i++) {
        if (t < columns) {
            double left = previous[t > 0 ? t - 1 : t];
            double right = previous[t < columns - 1 ? t + 1 : t];
            double shortest = MIN(left, previous[t]);
            shortest = MIN(shortest, right);
            result[t] = shortest + wall[i * columns + t];
        }
        __syncthreads();
        if (t < columns)
            previous[t] = result[t];
        __syncthreads();
    }
    if (t < columns)
        cost[t] = previous[t];
}

void cheapest_in_shared(double *cost, const double *wall, int rows, int columns)
{
    rows_in_shared<<<1, 20>>>(cost, wall, rows, columns);
}
