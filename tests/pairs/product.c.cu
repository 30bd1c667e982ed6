__global__ void f(double *c, const double *a, const double *b, int n)
{
    __shared__ double sa[4][4], sb[4][4];
    int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 4 + threadIdx.x;
    double sum = 0.0;
    for (int k0 = 0; k0 < n; k0 += 4) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + (k0 + threadIdx.x)];
        sb[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 4; ++k)
            sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
