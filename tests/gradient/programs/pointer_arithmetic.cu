/*---
function = "pointers"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 1
block = 7
[inputs]
y = { zeros = [7, 4] }
x = { shape = [7, 10], random = 1 }
w = { shape = [10], random = 2 }
---*/
// Pointers that walk, stride, run backwards, are subtracted and compared, point before their use, and are chosen.
__global__ void pointers(double *y, const double *x, const double *w)
{
    const double *row = x + 10 * threadIdx.x, *end = row + 10;
    double *out = &y[4 * threadIdx.x];
    double sum = 0.0;
    for (const double *p = row, *q = w; p != end; ++p, ++q)
        sum += *p * *q;
    out[0] = sum;
    const double *back = end;
    sum = 1.0;
    while (--back >= row)
        sum = sum * 0.5 + *back * back[0];
    out[1] = sum * row[(back + 4) - row];
    const double *chosen = threadIdx.x % 2 ? row : w;
    if (row[0] > 0.0)
        chosen += 2;
    out[2] = chosen[1] * chosen[1] + (*chosen) * 3[row];
    const double *middle = row + 5;
    int offset = (int)(middle - row);
    for (int k = -offset; k < offset; k += 2)
        out[3] += middle[k] * w[offset + k] * middle[-1];
}
