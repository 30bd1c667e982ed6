/*---
function = "rows"
wrt = ["w", "x"]
of = ["y"]
[launch]
grid = 1
block = 6
[inputs]
y = { zeros = [6] }
w = { shape = [6, 5], random = 1 }
x = { shape = [5], random = 2 }
columns = 5
---*/
// Pointers of the thread's own into its arguments: an offset, an alias, `*(p + k)`.
__global__ void rows(double *y, const double *w, const double *x, int columns)
{
    const double *row = w + threadIdx.x * columns;
    const double *same = row;
    double sum = 0.0;
    for (int k = 0; k < columns; k++)
        sum += *(row + k) * x[k] + same[k] * same[k];
    double *out = &y[threadIdx.x];
    *out = sum;
}
