// Adjoint of a matrix product C = A B with everything a tuned product has: tiles of 64 x 64 in shared memory, 4 x 4
// results a thread in registers, and the sum split over gridDim.z where there are few results.
// This is what a library would do, not what a primal of one thread per element suggests; it is listed beside the others.
#define TILE 64
#define DEPTH 16

// out[m, n] += sum over k of X[m, k] * Y[n, k]   (adj_A = adj_C B^T)
__global__ void gemm_nt(float *out, const float *X, const float *Y, int M, int N, int K)
{
    __shared__ float xs[DEPTH][TILE + 1];
    __shared__ float ys[DEPTH][TILE + 1];
    int t = threadIdx.x;
    int m0 = blockIdx.y * TILE;
    int n0 = blockIdx.x * TILE;
    int part = ((K + gridDim.z - 1) / gridDim.z + DEPTH - 1) / DEPTH * DEPTH;
    int first = blockIdx.z * part;
    int last = first + part < K ? first + part : K;
    int tx = t % 16;
    int ty = t / 16;
    float sum[4][4];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            sum[a][b] = 0.0f;
    for (int k0 = first; k0 < last; k0 += DEPTH) {
        int k = k0 + t % DEPTH;
        for (int r = t / DEPTH; r < TILE; r += 16) {
            xs[t % DEPTH][r] = m0 + r < M && k < last ? X[(m0 + r) * K + k] : 0.0f;
            ys[t % DEPTH][r] = n0 + r < N && k < last ? Y[(n0 + r) * K + k] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float x[4], y[4];
#pragma unroll
            for (int a = 0; a < 4; a++) {
                x[a] = xs[d][ty + 16 * a];
                y[a] = ys[d][tx + 16 * a];
            }
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++)
                    sum[a][b] += x[a] * y[b];
        }
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) {
            int m = m0 + ty + 16 * a;
            int n = n0 + tx + 16 * b;
            if (m < M && n < N) {
                if (gridDim.z > 1)
                    atomicAdd(&out[m * N + n], sum[a][b]);
                else
                    out[m * N + n] += sum[a][b];
            }
        }
}

// out[m, n] += sum over k of X[k, m] * Y[k, n]   (adj_B = A^T adj_C)
__global__ void gemm_tn(float *out, const float *X, const float *Y, int M, int N, int K)
{
    __shared__ float xs[DEPTH][TILE];
    __shared__ float ys[DEPTH][TILE];
    int t = threadIdx.x;
    int m0 = blockIdx.y * TILE;
    int n0 = blockIdx.x * TILE;
    int part = ((K + gridDim.z - 1) / gridDim.z + DEPTH - 1) / DEPTH * DEPTH;
    int first = blockIdx.z * part;
    int last = first + part < K ? first + part : K;
    int tx = t % 16;
    int ty = t / 16;
    float sum[4][4];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            sum[a][b] = 0.0f;
    for (int k0 = first; k0 < last; k0 += DEPTH) {
        int r = t % TILE;
        for (int d = t / TILE; d < DEPTH; d += 4) {
            int k = k0 + d;
            xs[d][r] = m0 + r < M && k < last ? X[k * M + m0 + r] : 0.0f;
            ys[d][r] = n0 + r < N && k < last ? Y[k * N + n0 + r] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float x[4], y[4];
#pragma unroll
            for (int a = 0; a < 4; a++) {
                x[a] = xs[d][ty + 16 * a];
                y[a] = ys[d][tx + 16 * a];
            }
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++)
                    sum[a][b] += x[a] * y[b];
        }
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) {
            int m = m0 + ty + 16 * a;
            int n = n0 + tx + 16 * b;
            if (m < M && n < N) {
                if (gridDim.z > 1)
                    atomicAdd(&out[m * N + n], sum[a][b]);
                else
                    out[m * N + n] += sum[a][b];
            }
        }
}
