/*---
function = "layers"
wrt = ["x", "w", "v", "scale"]
of = ["y"]
defines = { real = "double", BLAS_gemm = "cublasDgemm", BLAS_batch = "cublasDgemmStridedBatched", BLAS_gemv = "cublasDgemv" }
[inputs]
y = { zeros = [120] }
x = { shape = [3, 5, 6], random = 1 }
w = { shape = [6, 6], random = 2 }
v = { shape = [12], random = 3 }
scale = 0.8
n = 6
rows = 5
batch = 3
steps = 2

[[cases]]
name = "double"

[[cases]]
name = "float"
defines = { real = "float", BLAS_gemm = "cublasSgemm", BLAS_batch = "cublasSgemmStridedBatched", BLAS_gemv = "cublasSgemv" }

[[cases]]
name = "no_steps"
inputs = { steps = 0 }

[[cases]]
name = "one_in_a_batch"
[cases.inputs]
x = { shape = [1, 5, 6], random = 1 }
batch = 1
---*/
// What layers of a network ask of cuBLAS: one matrix for all of a batch, the square of a matrix, parts of one matrix as
// operand and result, results that are not read before (and hold no numbers), a handle that comes from the caller and
// one that lies in a struct, scalars that are differentiated.
#include <cublas_v2.h>

struct Net {
    cublasHandle_t handle;
    real *w, *square;
    int n;
};

__global__ void bend(real *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = tanh(x[i]);
}

static void make(Net *net, const real *w, int n)
{
    const real one = 1, zero = 0;
    cublasCreate(&net->handle);
    net->n = n;
    cudaMalloc((void **)&net->w, n * n * sizeof(real));
    cudaMalloc((void **)&net->square, n * n * sizeof(real));
    cudaMemcpy(net->w, w, n * n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemset(net->square, 0xff, n * n * sizeof(real)); // no numbers
    BLAS_gemm(net->handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, net->w, n, net->w, n, &zero, net->square, n);
}

// `rows` x n matrices, column after column; what is behind them in x takes the result.
void layers(real *y, const real *x, const real *w, const real *v, real scale, int n, int rows, int batch, int steps)
{
    Net net;
    const real one = 1, zero = 0;
    const int size = rows * n;
    real *d_x, *d_t, *d_v, *d_y;
    make(&net, w, n);
    cudaMalloc((void **)&d_x, batch * size * sizeof(real));
    cudaMalloc((void **)&d_t, batch * size * sizeof(real));
    cudaMalloc((void **)&d_v, 2 * n * sizeof(real));
    cudaMalloc((void **)&d_y, 120 * sizeof(real));
    cudaMemcpy(d_x, x, batch * size * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemcpy(d_v, v, 2 * n * sizeof(real), cudaMemcpyHostToDevice);
    cudaMemset(d_y, 0, 120 * sizeof(real));
    for (int t = 0; t < steps; t++) {
        // the same square for every x
        BLAS_batch(net.handle, CUBLAS_OP_N, t % 2 ? CUBLAS_OP_T : CUBLAS_OP_N, rows, n, n, &scale, d_x, rows, size,
                   net.square, n, 0, &zero, d_t, rows, size, batch);
        bend<<<(batch * size + 31) / 32, 32>>>(d_t, batch * size);
        BLAS_batch(net.handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, n, n, &one, d_t, rows, size, net.w, n, 0, &scale, d_x, rows,
                   size, batch);
    }
    // within one matrix of leading dimension 2 n: right columns += left columns times a corner
    cudaMemcpy2D(d_y, 2 * n * sizeof(real), net.w, n * sizeof(real), n * sizeof(real), 4, cudaMemcpyDeviceToDevice);
    BLAS_gemm(net.handle, CUBLAS_OP_N, CUBLAS_OP_N, n, 2, 2, &scale, d_y, 2 * n, d_y + 2, 2 * n, &one, d_y + 4 * n, 2 * n);
    BLAS_gemv(net.handle, CUBLAS_OP_T, rows, n, &one, d_x, rows, d_v, 1, &zero, d_y + n, -1);
    BLAS_gemv(net.handle, CUBLAS_OP_N, rows, n, &scale, d_x, rows, d_v, 2, &scale, d_y + 3 * n, 1);
    BLAS_gemv(net.handle, CUBLAS_OP_N, rows, n, &one, d_x, rows, d_x + 1, rows, &zero, d_y + 96, 2);
    cudaMemcpy(y, d_y, 120 * sizeof(real), cudaMemcpyDeviceToHost);
    cublasDestroy(net.handle);
    cudaFree(net.w);
    cudaFree(net.square);
    cudaFree(d_x);
    cudaFree(d_t);
    cudaFree(d_v);
    cudaFree(d_y);
}
