/*---
function = "scan_rows"
wrt = ["x"]
of = ["y"]
[launch]
grid = [2, 1]
block = [8, 1]
[inputs]
y = { zeros = [15] }
x = { shape = [15, 12], random = 1 }
rows = 15
columns = 12
---*/
// break and continue at both levels of a nest, with values carried through: sequences of runs in a row.
__global__ void scan_rows(double *y, const double *x, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const double *p = x + row * columns;
    double best = 0.0;
    int j = 0;
    while (1) {
        while (j < columns && p[j] <= 0.0)
            j++;
        if (j == columns)
            break;
        double product = 1.0;
        for (; j < columns; j++) {
            if (p[j] <= 0.0)
                break;
            if (p[j] < 0.2)
                continue;
            product *= 1.0 + p[j];
        }
        if (product < 1.5)
            continue;
        best += log(product) * product;
    }
    y[row] = best;
}
