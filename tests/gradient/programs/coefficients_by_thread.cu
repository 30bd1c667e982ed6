/*---
function = "uniform"
wrt = ["x", "a", "table"]
of = ["y"]
[launch]
grid = [2, 3]
block = [8, 2]
[inputs]
y = { zeros = [6, 16] }
x = { shape = [6, 16], random = 1 }
a = 1.3
table = { shape = [6], random = 2 }
---*/
// Scalars and cells read by a whole grid, by a block, by a row of it: adjoints that many threads add to.
__global__ void uniform(double *y, const double *x, double a, const double *table)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int i = row * 16 + column;
    double v = x[i] * a + table[row] * table[0];
    v += sin(a * table[blockIdx.x + 1]) * x[(i + 16) % 96];
    y[i] = v * table[5];
}
