/*---
function = "run"
wrt = ["x", "scale"]
of = ["y", "z"]
[inputs]
x = { shape = [19], random_uniform = 1, low = 0.3, high = 1.2 }
table = { shape = [19], random_uniform = 2, low = 0.4, high = 0.9 }
y = { shape = [19], random_uniform = 3, low = -1.0, high = 1.0 }
z = { shape = [19], random_uniform = 4, low = -1.0, high = 1.0 }
scale = 0.7
n = 19
---*/
/* The first launch passes through `work` only what comes of the table: nothing varies there, while the buffer that holds
   the table varies when it serves again. */
__global__ void through(double *between, const double *from, double *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    between[i] = sin(from[i]) * from[(i + 1) % n];
    for (int k = 0; k < 3; k++)
        between[i] = between[i] * from[i] + 0.1 * k;
    to[i] += between[i] * to[i];
}

__global__ void refill(double *buffer, const double *x, double scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        buffer[i] = scale * x[i] * x[i];
}

void run(const double *x, const double *table, double *y, double *z, double scale, int n)
{
    double *work, *buffer;
    cudaMalloc(&work, n * sizeof(double));
    cudaMalloc(&buffer, n * sizeof(double));
    cudaMemcpy(buffer, table, n * sizeof(double), cudaMemcpyDeviceToDevice);
    refill<<<(n + 7) / 8, 8>>>(y, x, scale, n);
    through<<<(n + 7) / 8, 8>>>(work, buffer, y, n);
    refill<<<(n + 7) / 8, 8>>>(buffer, x, scale, n);
    through<<<(n + 7) / 8, 8>>>(z, buffer, y, n);
    cudaFree(work);
    cudaFree(buffer);
}
