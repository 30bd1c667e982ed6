// tangent of product (line 29)
static __global__ void product_tangent(
    double *C, const double *A, const double *B, int m, int n, int k, double *dot_C, double *dot_A,
    double *dot_B)
{
    __shared__ double a[4][4];
    __shared__ double dot_a[4][4];
    __shared__ double b[4][4];
    __shared__ double dot_b[4][4];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 4 + ty;
    int col = blockIdx.x * 4 + tx;
    double dot_sum = 0;
    double sum = 0.0;
    for (int first = 0; first < k; first += 4) {
        double dot_chosen_1 = 0;
        double chosen_1;
        if (row < m && first + tx < k) {
            dot_chosen_1 = dot_A[row * k + first + tx];
            chosen_1 = A[row * k + first + tx];
        } else {
            dot_chosen_1 = 0;
            chosen_1 = 0.0;
        }
        dot_a[ty][tx] = dot_chosen_1;
        a[ty][tx] = chosen_1;
        double dot_chosen_2 = 0;
        double chosen_2;
        if (first + ty < k && col < n) {
            dot_chosen_2 = dot_B[(first + ty) * n + col];
            chosen_2 = B[(first + ty) * n + col];
        } else {
            dot_chosen_2 = 0;
            chosen_2 = 0.0;
        }
        dot_b[ty][tx] = dot_chosen_2;
        b[ty][tx] = chosen_2;
        __syncthreads();
        for (int d = 0; d < 4; ++d) {
            dot_sum += b[d][tx] * dot_a[ty][d];
            dot_sum += a[ty][d] * dot_b[d][tx];
            sum += a[ty][d] * b[d][tx];
        }
        __syncthreads();
    }
    if (row < m && col < n) {
        dot_C[row * n + col] = dot_sum;
        C[row * n + col] = sum;
    }
}

// tangent of C of multiply (line 50) along A, B
extern "C" void multiply_tangent(
    double *C, const double *A, const double *B, int m, int n, int k, double *dot_A, double *dot_B,
    double *dot_C)
{
    dim3 block(4, 4);
    dim3 grid((n + 4 - 1) / 4, (m + 4 - 1) / 4);
    product_tangent<<<grid, block>>>(C, A, B, m, n, k, dot_C, dot_A, dot_B);
}
