/*---
function = "correlation"
wrt = ["data"]
of = ["matrix"]
[inputs]
matrix = { zeros = [6, 6] }
data = { shape = [11, 6], random = 1 }
n = 11
m = 6
---*/
// Means, deviations, normalised data in place, then products of all pairs of columns, both halves of the matrix.
#define EPSILON 0.005

__global__ void means(double *mean, const double *data, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        mean[j] = 0.0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= n;
    }
}

__global__ void deviations(double *deviation, const double *mean, const double *data, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        deviation[j] = 0.0;
        for (int i = 0; i < n; i++)
            deviation[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        deviation[j] = sqrt(deviation[j] / n);
        if (deviation[j] <= EPSILON)
            deviation[j] = 1.0;
    }
}

__global__ void normalise(double *data, const double *mean, const double *deviation, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        data[i * m + j] -= mean[j];
        data[i * m + j] /= sqrt((double)n) * deviation[j];
    }
}

__global__ void products(double *matrix, const double *data, int n, int m)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 >= m)
        return;
    matrix[j1 * m + j1] = 1.0;
    for (int j2 = j1 + 1; j2 < m; j2++) {
        matrix[j1 * m + j2] = 0.0;
        for (int i = 0; i < n; i++)
            matrix[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
        matrix[j2 * m + j1] = matrix[j1 * m + j2];
    }
}

void correlation(double *matrix, const double *data, int n, int m)
{
    double *d_data, *mean, *deviation;
    size_t bytes = sizeof(double) * n * m;
    cudaMalloc(&d_data, bytes);
    cudaMalloc(&mean, sizeof(double) * m);
    cudaMalloc(&deviation, sizeof(double) * m);
    cudaMemcpy(d_data, data, bytes, cudaMemcpyHostToDevice);
    dim3 block(4, 4), grid((m + 3) / 4, (n + 3) / 4);
    means<<<(m + 3) / 4, 4>>>(mean, d_data, n, m);
    deviations<<<(m + 3) / 4, 4>>>(deviation, mean, d_data, n, m);
    normalise<<<grid, block>>>(d_data, mean, deviation, n, m);
    products<<<(m + 3) / 4, 4>>>(matrix, d_data, n, m);
    cudaFree(d_data);
    cudaFree(mean);
    cudaFree(deviation);
}
