// link with -lcublas

#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>

static int hetad_cublas(cublasHandle_t *handle);
static void hetad_routine(int status);

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
            hetad_routine(cublasSgemm(
                handle_2, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &factor, dot_a, n, b, n, &kept, dot_c, n));
            {
                const float hetad_factor_1 = 1.0f;
                hetad_routine(cublasSgemm(
                    handle_2, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &factor, a, n, dot_b, n, &hetad_factor_1,
                    dot_c, n));
            }
            hetad_routine(cublasSgemm(
                handle_2, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &factor, a, n, b, n, &kept, c, n));
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
