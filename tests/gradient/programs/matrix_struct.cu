/*---
function = "product"
wrt = ["a", "b"]
of = ["c"]
reference = { a = "adj_c @ b.T", b = "a.T @ adj_c" }
[inputs]
a = { shape = [5, 6], random = 1 }
b = { shape = [6, 7], random = 2 }
c = { zeros = [5, 7] }
---*/
// The matrix of the CUDA programming guide, a struct of sizes and a pointer, on the host and on the device.
typedef struct {
    int width, height;
    float *elements;
} Matrix;

__device__ float get(const Matrix m, int row, int column)
{
    return m.elements[row * m.width + column];
}

__global__ void product_kernel(Matrix a, Matrix b, Matrix c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= c.height || column >= c.width)
        return;
    float sum = 0.0f;
    for (int k = 0; k < a.width; k++)
        sum += get(a, row, k) * get(b, k, column);
    c.elements[row * c.width + column] = sum;
}

static Matrix upload(const float *from, int height, int width)
{
    Matrix m;
    m.width = width;
    m.height = height;
    cudaMalloc((void **)&m.elements, width * height * sizeof(float));
    if (from)
        cudaMemcpy(m.elements, from, width * height * sizeof(float), cudaMemcpyHostToDevice);
    return m;
}

void product(float *c, const float *a, const float *b)
{
    Matrix d_a = upload(a, 5, 6), d_b = upload(b, 6, 7), d_c = upload(0, 5, 7);
    dim3 block(4, 4), grid(2, 2);
    product_kernel<<<grid, block>>>(d_a, d_b, d_c);
    cudaMemcpy(c, d_c.elements, 35 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a.elements);
    cudaFree(d_b.elements);
    cudaFree(d_c.elements);
}
