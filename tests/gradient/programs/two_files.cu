/*---
function = "energy"
others = ["../parts/two_files_kernels.cu"]
wrt = ["x", "mix"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 5 }
mix = 0.3
rows = 3
columns = 4
---*/
// A program of two files with a header: what is static in one is not the other's.
#include "../parts/two_files.h"
#define LIMIT 5

struct Local {
    float b, c;
};

static int launches = 10;

static double scale(double x) { return LIMIT * x; }

static void count(int n) { launches += n; }

double energy(double *y, const double *x, double mix, int rows, int columns)
{
    Grid g = {rows, columns, 1.0f};
    Local l = {2.0f, 0.5f};
    double *hidden;
    cudaMalloc(&hidden, rows * columns * sizeof(double));
    advance(hidden, x, g, mix);
    count(WRAP);
    advance(y, hidden, g);
    cudaFree(hidden);
    return scale(mix) * relaxation * l.b + l.c * launches + calls;
}
