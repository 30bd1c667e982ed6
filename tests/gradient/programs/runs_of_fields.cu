/*---
function = "interpolate"
wrt = ["points", "weight", "cells"]
of = ["out"]
[inputs]
out = { zeros = [231] }
points = { values = [
    { at = 0.1, value = [1.5, -0.5, 0.25], kind = 1, slope = 0.7, offset = 0.3 },
    { at = 0.5, value = [-1.0, 0.4, 0.75], kind = 2, slope = -0.2, offset = 1.1 },
    { at = 1.2, value = [0.3, 1.25, -0.6], kind = 0, slope = 0.9, offset = -0.4 },
    { at = 1.9, value = [0.8, -0.9, 1.4], kind = 3, slope = 0.1, offset = 0.6 },
    { at = 2.4, value = [-0.2, 0.6, 0.5], kind = 1, slope = -0.8, offset = 0.2 },
] }
weight = { shape = [77], random = 1 }
cells = { shape = [9, 4], random = 2 }
which = { shape = [77], random = 3, low = 0, high = 4 }
count = { shape = [77], random = 4, low = 0, high = 6 }
n = 77
---*/
// Fields that follow each other, of a point and of the next one, an array and an integer among them: what is added to
// them at once.  Threads run their loops differently often, blocks are no whole number of warps, and many threads come to
// one point.
typedef struct {
    double at;
    double value[3];
    int kind;
    double slope, offset;
} point;

typedef struct {
    point *points;
    const double *cells;
} tables;

__global__ void interpolate_kernel(double *out, tables given, const double *weight, const int *which, const int *count,
                                   int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0, square = 0.0, rest = 0.0;
    for (int k = 0; k < count[i]; k++) {
        point *low = given.points + (which[i] + k) % 4;
        point *high = low + 1;
        double f = (high->at - weight[i]) / (high->at - low->at);
        sum += high->value[0] - f * (high->value[0] - low->value[0]) + low->value[2] * high->value[1];
        square += low->slope * high->slope + f * low->offset + high->offset * low->kind;
        for (int c = 0; c < 4; c++)
            rest += given.cells[((which[i] + k) % 9) * 4 + c] * f * (c + 1);
        if (k > 2)
            sum += low->value[1] * low->value[2] * low->value[0];
    }
    out[3 * i] = sum;
    out[3 * i + 1] = square;
    out[3 * i + 2] = rest * sum;
}

void interpolate(double *out, point *points, const double *weight, const double *cells, const int *which,
                 const int *count, int n)
{
    tables given = {points, cells};
    interpolate_kernel<<<2, 45>>>(out, given, weight, which, count, n);
}
