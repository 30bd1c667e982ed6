/*---
function = "gemm"
wrt = ["a", "b", "c", "alpha", "beta"]
of = ["c"]
reference = { a = "alpha * adj_c @ b.T", b = "alpha * a.T @ adj_c", c = "beta * adj_c", alpha = "np.sum(adj_c * (a @ b))", beta = "np.sum(adj_c * c)" }
[inputs]
c = { shape = [7, 9], random = 1 }
a = { shape = [7, 5], random = 2 }
b = { shape = [5, 9], random = 3 }
alpha = 1.3
beta = 0.6
ni = 7
nj = 9
nk = 5
---*/
// C = alpha A B + beta C, accumulated in global memory as PolyBench does.
__global__ void gemm_kernel(double *c, const double *a, const double *b, double alpha, double beta, int ni, int nj,
                            int nk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++)
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}

void gemm(double *c, const double *a, const double *b, double alpha, double beta, int ni, int nj, int nk)
{
    double *d_a, *d_b, *d_c;
    cudaMalloc((void **)&d_a, sizeof(double) * ni * nk);
    cudaMalloc((void **)&d_b, sizeof(double) * nk * nj);
    cudaMalloc((void **)&d_c, sizeof(double) * ni * nj);
    cudaMemcpy(d_a, a, sizeof(double) * ni * nk, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, sizeof(double) * nk * nj, cudaMemcpyHostToDevice);
    cudaMemcpy(d_c, c, sizeof(double) * ni * nj, cudaMemcpyHostToDevice);
    dim3 block(4, 4);
    dim3 grid((size_t)ceil((float)nj / block.x), (size_t)ceil((float)ni / block.y));
    gemm_kernel<<<grid, block>>>(d_c, d_a, d_b, alpha, beta, ni, nj, nk);
    cudaDeviceSynchronize();
    cudaMemcpy(c, d_c, sizeof(double) * ni * nj, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}
