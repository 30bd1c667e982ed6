// Conjugate gradients for the five-point Laplacian with conductivity `k` in each cell: a fixed number of iterations of
// A x = b with A = D(k) + L.  All pointers are device memory; the scalars of the iteration live on the host.
#define THREADS 256

__global__ void apply(float *out, const float *k, const float *p, int nx, int ny)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny) {
        int c = j * nx + i;
        float sum = (4.0f + k[c]) * p[c];
        if (i > 0)
            sum -= p[c - 1];
        if (i < nx - 1)
            sum -= p[c + 1];
        if (j > 0)
            sum -= p[c - nx];
        if (j < ny - 1)
            sum -= p[c + nx];
        out[c] = sum;
    }
}

__global__ void dot(float *result, const float *a, const float *b, int n)
{
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    sums[t] = i < n ? a[i] * b[i] : 0.0f;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, sums[0]);
}

__global__ void add_scaled(float *y, const float *x, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += factor * x[i];
}

__global__ void scale_and_add(float *p, const float *r, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = r[i] + factor * p[i];
}

static float dot_product(float *cell, const float *a, const float *b, int n)
{
    float result;
    cudaMemset(cell, 0, sizeof(float));
    dot<<<(n + THREADS - 1) / THREADS, THREADS>>>(cell, a, b, n);
    cudaMemcpy(&result, cell, sizeof(float), cudaMemcpyDeviceToHost);
    return result;
}

void solve(float *x, const float *b, const float *k, int nx, int ny, int iterations)
{
    int n = nx * ny;
    size_t bytes = n * sizeof(float);
    int blocks = (n + THREADS - 1) / THREADS;
    dim3 block(32, 8);
    dim3 grid((nx + 31) / 32, (ny + 7) / 8);
    float *r, *p, *q, *cell;
    cudaMalloc((void **)&r, bytes);
    cudaMalloc((void **)&p, bytes);
    cudaMalloc((void **)&q, bytes);
    cudaMalloc((void **)&cell, sizeof(float));
    cudaMemset(x, 0, bytes);
    cudaMemcpy(r, b, bytes, cudaMemcpyDeviceToDevice);
    cudaMemcpy(p, b, bytes, cudaMemcpyDeviceToDevice);
    float rho = dot_product(cell, r, r, n);
    for (int iteration = 0; iteration < iterations; iteration++) {
        apply<<<grid, block>>>(q, k, p, nx, ny);
        float alpha = rho / dot_product(cell, p, q, n);
        add_scaled<<<blocks, THREADS>>>(x, p, alpha, n);
        add_scaled<<<blocks, THREADS>>>(r, q, -alpha, n);
        float fresh = dot_product(cell, r, r, n);
        scale_and_add<<<blocks, THREADS>>>(p, r, fresh / rho, n);
        rho = fresh;
    }
    cudaFree(r);
    cudaFree(p);
    cudaFree(q);
    cudaFree(cell);
}
