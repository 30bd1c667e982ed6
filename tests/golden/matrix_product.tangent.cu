#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>

static int hetad_cublas(cublasHandle_t *handle);

// tangent of blas_float_gemm (line 722)
static __global__ void blas_float_gemm_tangent(
    cublasHandle_t handle, int transa, int transb, int m, int n, int k, float alpha, const float *a, int lda,
    const float *b, int ldb, float beta, float *c, int ldc, float *dot_a, float *dot_b, float *dot_c)
{
    long long cell = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    int a_plain = transa == 0;
    int b_plain = transb == 0;
    if (cell < (long long)m * n) {
        int i = cell % m;
        int j = cell / m;
        long long a_down = a_plain ? 1 : lda;
        long long a_along = a_plain ? lda : 1;
        long long b_down = b_plain ? 1 : ldb;
        long long b_along = b_plain ? ldb : 1;
        long long at = i + (long long)j * ldc;
        float dot_sum = 0;
        float sum = 0.0f;
        for (int k_2 = 0; k_2 < k; ++k_2) {
            const float value = a[i * a_down + k_2 * a_along];
            const float value_2 = b[k_2 * b_down + j * b_along];
            dot_sum += value_2 * dot_a[i * a_down + k_2 * a_along]
                + value * dot_b[k_2 * b_down + j * b_along];
            sum += value * value_2;
        }
        if (beta == 0.0f) {
            dot_c[at] = alpha * dot_sum;
            c[at] = alpha * sum;
        } else {
            dot_c[at] = alpha * dot_sum + beta * dot_c[at];
            c[at] = alpha * sum + beta * c[at];
        }
    }
}

// tangent of square (line 14)
static __global__ void square_tangent(float *c, int count, float *dot_c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        dot_c[i] = 2.0f * c[i] * dot_c[i];
        c[i] *= c[i];
    }
}

// tangent of c of product (line 28) along a, b
extern "C" void product_tangent(
    float *c, const float *a, const float *b, int n, float *dot_a, float *dot_b, float *dot_c)
{
    cublasHandle_t handle;
    hetad_cublas(&handle);
    cublasHandle_t handle_2 = handle;
    const float one = 1.0f;
    const float zero = 0.0f;
    int result;
    const float factor = one;
    const float kept = zero;
    if (n < 0 || n < 1) {
        result = 7;
    } else {
        if (n > 0) {
            blas_float_gemm_tangent<<<((long long)n * n + 127) / 128, 128>>>(
                handle_2, 0, 1, n, n, n, factor, a, n, b, n, kept, c, n, dot_a, dot_b, dot_c);
        }
        result = 0;
    }
    square_tangent<<<(n * n + 127) / 128, 128>>>(c, n * n, dot_c);
}

// ---- hetad's own functions that are called above, and what they need ----

// A failure that leaves no right answer ends the program.
static void hetad_fail(const char *message)
{
    fprintf(stderr, "hetad: %s\n", message);
    abort();
}

// Every call of a library must succeed.
static void hetad_routine(int status)
{
    if (status != 0) {
        char message[64];
        snprintf(message, sizeof message, "a routine of cuBLAS or cuFFT fails with status %d", status);
        hetad_fail(message);
    }
}

// The handle of the derivative, which does all work in the default stream.
static int hetad_cublas(cublasHandle_t *handle)
{
    static cublasHandle_t own;
    if (own == NULL) {
        hetad_routine(cublasCreate(&own));
    }
    *handle = own;
    return 0;
}
