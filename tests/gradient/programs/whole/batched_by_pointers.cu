/*---
function = "batched"
wrt = ["a", "b"]
of = ["c"]
inputs = { a = { shape = [48], random = 1 }, b = { shape = [48], random = 2 }, c = { shape = [48], random = 3 }, batch = 3, n = 4 }
---*/
// Batched products of small matrices, given by arrays of pointers that are filled again each round.
__global__ void gemm_batched(const float *const *A, const float *const *B, float **C, int n)
{
    __shared__ float as[4][4], bs[4][5];
    const float *a = A[blockIdx.x], *b = B[blockIdx.x];
    float *c = C[blockIdx.x];
    int i = threadIdx.y, j = threadIdx.x;
    as[i][j] = a[i * n + j];
    bs[i][j] = b[i * n + j];
    __syncthreads();
    float s = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) s += as[i][k] * bs[k][j];
    c[i * n + j] = 0.5f * c[i * n + j] + s;
}
void batched(float *c, float *a, float *b, int batch, int n)
{
    float **pa = new float *[batch], **pb = new float *[batch], **pc = new float *[batch];
    float **da, **db, **dc;
    cudaMalloc(&da, batch * sizeof(float *));
    cudaMalloc(&db, batch * sizeof(float *));
    cudaMalloc(&dc, batch * sizeof(float *));
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < batch; i++) {
            pa[i] = a + (i + r) % batch * n * n;
            pb[i] = r == 1 ? c + i * n * n : b + i * n * n;
            pc[i] = r == 1 ? b + (batch - 1 - i) * n * n : c + i * n * n;
        }
        cudaMemcpyAsync(da, pa, batch * sizeof(float *), cudaMemcpyHostToDevice);
        cudaMemcpyAsync(db, pb, batch * sizeof(float *), cudaMemcpyHostToDevice);
        cudaMemcpyAsync(dc, pc, batch * sizeof(float *), cudaMemcpyHostToDevice);
        if (r == 1) { // may not overlap: b's own product first into a copy
            for (int i = 0; i < batch; i++) pb[i] = a + i * n * n;
            cudaMemcpy(db, pb, batch * sizeof(float *), cudaMemcpyHostToDevice);
        }
        gemm_batched<<<batch, dim3(4, 4)>>>(da, db, dc, n);
    }
    cudaFree(da); cudaFree(db); cudaFree(dc);
    delete[] pa; delete[] pb; delete[] pc;
}
