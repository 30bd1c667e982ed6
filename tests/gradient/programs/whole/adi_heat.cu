/*---
function = "simulate"
wrt = ["u", "kappa"]
of = ["u"]
[inputs]
u = { shape = [10, 10], random = 1 }
kappa = { shape = [10, 10], random_uniform = 2, low = 0.5, high = 1.5 }
n = 10
steps = 3
dt = 0.3
---*/
// The alternating direction implicit method with a conductivity of each cell: Thomas' algorithm along each row, then
// along each column, forward elimination and back substitution in loops inside the threads.
__global__ void implicit_rows(double *u, double *upper, const double *kappa, int n, double half)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    double *line = u + row * n, *c = upper + row * n;
    const double *k = kappa + row * n;
    for (int j = 0; j < n; j++) {
        double low = j > 0 ? -half * k[j] : 0.0, high = j < n - 1 ? -half * k[j] : 0.0;
        double diagonal = 1.0 + 2.0 * half * k[j];
        double pivot = j > 0 ? diagonal - low * c[j - 1] : diagonal;
        c[j] = high / pivot;
        line[j] = (line[j] - (j > 0 ? low * line[j - 1] : 0.0)) / pivot;
    }
    for (int j = n - 2; j >= 0; j--)
        line[j] -= c[j] * line[j + 1];
}

__global__ void transpose(double *to, const double *from, int n)
{
    __shared__ double tile[4][5];
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < n && y < n)
        tile[threadIdx.y][threadIdx.x] = from[y * n + x];
    __syncthreads();
    x = blockIdx.y * 4 + threadIdx.x;
    y = blockIdx.x * 4 + threadIdx.y;
    if (x < n && y < n)
        to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

static void flip(double *a, double *spare, int n)
{
    dim3 block(4, 4), grid((n + 3) / 4, (n + 3) / 4);
    transpose<<<grid, block>>>(spare, a, n);
    cudaMemcpy(a, spare, n * n * sizeof(double), cudaMemcpyDeviceToDevice);
}

void simulate(double *u, const double *kappa, int n, int steps, double dt)
{
    size_t bytes = n * n * sizeof(double);
    double *d_u, *d_kappa, *upper, *spare;
    cudaMalloc(&d_u, bytes);
    cudaMalloc(&d_kappa, bytes);
    cudaMalloc(&upper, bytes);
    cudaMalloc(&spare, bytes);
    cudaMemcpy(d_u, u, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_kappa, kappa, bytes, cudaMemcpyHostToDevice);
    for (int s = 0; s < steps; s++) {
        for (int direction = 0; direction < 2; direction++) {
            implicit_rows<<<(n + 3) / 4, 4>>>(d_u, upper, d_kappa, n, 0.5 * dt);
            flip(d_u, spare, n);
            flip(d_kappa, spare, n);
        }
    }
    cudaMemcpy(u, d_u, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_u);
    cudaFree(d_kappa);
    cudaFree(upper);
    cudaFree(spare);
}
