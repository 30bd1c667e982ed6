/*---
function = "walk"
wrt = ["x", "y"]
of = ["y"]
[inputs]
y = { shape = [11], random = 1 }
x = { shape = [11, 9], random = 2 }
next = { shape = [9], values = [3, 4, 8, 1, 6, 5, 2, 7, 7] }
rows = 11
columns = 9
---*/
// A loop that is left in its midst does not come to its steps: what a step changes beside the loop's own variables is
// seen afterwards.
__global__ void leave(double *y, const double *x, const int *next, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const double *p = x + row * columns;
    int seen = 0, last = 0;
    double weight = 1.0;
    for (int j = 0; j < columns; j++, seen++) {
        if (p[j] > 0.8)
            break;
        if (p[j] < -0.5)
            continue;
        weight *= 1.0 + 0.1 * p[j];
    }
    for (int k = 0, n = 0; n < columns; last = k, k = next[k], ++n) {
        if (p[k] < -0.7)
            break;
        weight += p[k] * p[last];
    }
    for (int j = 0; j < seen; seen -= j, j++)
        if (seen + j > 6)
            break;
    y[row] = y[row] * weight + p[last] * p[seen < columns && seen >= 0 ? seen : 0];
}

void walk(double *y, const double *x, const int *next, int rows, int columns)
{
    int blocks = 0;
    for (int r = 0; r < rows; r += 4, blocks++)
        if (r > 6)
            break;
    leave<<<blocks, 6>>>(y, x, next, rows, columns);
}
