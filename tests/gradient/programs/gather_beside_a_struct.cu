/*---
function = "product"
wrt = ["b"]
of = ["c"]
reference = { b = "a.T @ adj_c" }
[inputs]
a = { shape = [5, 6], random = 1 }
b = { shape = [6, 7], random = 2 }
c = { zeros = [5, 7] }
---*/
// The gather of b reads what a struct leads to, which has no adjoint: the copy that fills it must stay.
typedef struct { int width, height; float *elements; } Matrix;
__global__ void pk(Matrix a, const float *b, float *c, int w, int h)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= h || column >= w) return;
    float sum = 0.0f;
    for (int k = 0; k < a.width; k++)
        sum += a.elements[row * a.width + k] * b[k * w + column];
    c[row * w + column] = sum;
}
void product(float *c, const float *a, const float *b)
{
    Matrix m; m.width = 6; m.height = 5;
    float *d_b, *d_c;
    cudaMalloc((void **)&m.elements, 30 * sizeof(float));
    cudaMemcpy(m.elements, a, 30 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&d_b, 42 * sizeof(float));
    cudaMemcpy(d_b, b, 42 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&d_c, 35 * sizeof(float));
    dim3 block(4, 4), grid(2, 2);
    pk<<<grid, block>>>(m, d_b, d_c, 7, 5);
    cudaMemcpy(c, d_c, 35 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(m.elements); cudaFree(d_b); cudaFree(d_c);
}
