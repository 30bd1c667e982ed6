/*---
function = "srad"
wrt = ["image", "lambda"]
of = ["image"]
[inputs]
image = { shape = [9, 8], random_uniform = 1, low = 0.8, high = 1.6 }
lambda = 0.4
rows = 9
columns = 8
steps = 2
---*/
// Speckle-reducing diffusion: sums over the image read back, a coefficient clamped to [0, 1], then the divergence.
__global__ void sums(double *total, double *squares, const double *image, int n)
{
    __shared__ double s[16];
    __shared__ double s2[16];
    int t = threadIdx.x, i = blockIdx.x * 16 + t;
    double v = i < n ? image[i] : 0.0;
    s[t] = v;
    s2[t] = v * v;
    __syncthreads();
    for (int d = 8; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
            s2[t] += s2[t + d];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(total, s[0]);
        atomicAdd(squares, s2[0]);
    }
}

__global__ void coefficients(double *c, const double *image, double q0, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int i = y * columns + x;
    double centre = image[i];
    double n = image[max(y - 1, 0) * columns + x] - centre, s = image[min(y + 1, rows - 1) * columns + x] - centre;
    double w = image[y * columns + max(x - 1, 0)] - centre, e = image[y * columns + min(x + 1, columns - 1)] - centre;
    double g2 = (n * n + s * s + w * w + e * e) / (centre * centre);
    double l = (n + s + w + e) / centre;
    double numerator = 0.5 * g2 - 1.0 / 16.0 * (l * l), denominator = 1.0 + 0.25 * l;
    double q = numerator / (denominator * denominator);
    denominator = (q - q0) / (q0 * (1.0 + q0));
    double value = 1.0 / (1.0 + denominator);
    if (value < 0)
        value = 0;
    else if (value > 1)
        value = 1;
    c[i] = value;
}

__global__ void diffuse(double *next, const double *image, const double *c, double lambda, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    int i = y * columns + x, south = min(y + 1, rows - 1) * columns + x, east = y * columns + min(x + 1, columns - 1);
    int north = max(y - 1, 0) * columns + x, west = y * columns + max(x - 1, 0);
    double d = c[i] * (image[north] - image[i]) + c[south] * (image[south] - image[i]) + c[i] * (image[west] - image[i])
        + c[east] * (image[east] - image[i]);
    next[i] = image[i] + 0.25 * lambda * d;
}

void srad(double *image, double lambda, int rows, int columns, int steps)
{
    int n = rows * columns;
    double *c, *next, *stats, host[2];
    cudaMalloc(&c, n * sizeof(double));
    cudaMalloc(&next, n * sizeof(double));
    cudaMalloc(&stats, 2 * sizeof(double));
    dim3 block(4, 4), grid((columns + 3) / 4, (rows + 3) / 4);
    for (int t = 0; t < steps; t++) {
        cudaMemset(stats, 0, 2 * sizeof(double));
        sums<<<(n + 15) / 16, 16>>>(stats, stats + 1, image, n);
        cudaMemcpy(host, stats, 2 * sizeof(double), cudaMemcpyDeviceToHost);
        double mean = host[0] / n;
        double variance = host[1] / n - mean * mean;
        coefficients<<<grid, block>>>(c, image, variance / (mean * mean), rows, columns);
        diffuse<<<grid, block>>>(next, image, c, lambda, rows, columns);
        cudaMemcpy(image, next, n * sizeof(double), cudaMemcpyDeviceToDevice);
    }
    cudaFree(c);
    cudaFree(next);
    cudaFree(stats);
}
