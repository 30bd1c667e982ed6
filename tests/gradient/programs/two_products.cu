/*---
function = "two_products"
wrt = ["a", "b", "c"]
of = ["d"]
reference = { a = "adj_d @ (b @ c).T", b = "a.T @ adj_d @ c.T", c = "(a @ b).T @ adj_d" }
[inputs]
d = { zeros = [6, 5] }
a = { shape = [6, 7], random = 1 }
b = { shape = [7, 4], random = 2 }
c = { shape = [4, 5], random = 3 }
work = { zeros = [6, 4] }
---*/
// D = A B C in two launches of one kernel, through a work array that the caller gave.
__global__ void multiply(double *out, const double *left, const double *right, int rows, int inner, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        double sum = 0.0;
        for (int k = 0; k < inner; ++k)
            sum += left[row * inner + k] * right[k * columns + column];
        out[row * columns + column] = sum;
    }
}

void two_products(double *d, const double *a, const double *b, const double *c, double *work)
{
    dim3 block(4, 4), grid(2, 2);
    multiply<<<grid, block>>>(work, a, b, 6, 7, 4);
    multiply<<<grid, block>>>(d, work, c, 6, 4, 5);
}
