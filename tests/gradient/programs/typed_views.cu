/*---
function = "copy_out"
wrt = ["x"]
of = ["y"]
reference = { x = "2 * x * adj_y" }
[inputs]
y = { zeros = [20] }
x = { shape = [20], random = 1 }
n = 20
---*/
// Untyped memory on the way: void * for an allocation that holds doubles.
#include <stdlib.h>
#include <string.h>

void copy_out(double *y, const double *x, int n)
{
    void *memory = malloc(n * sizeof(double));
    memcpy(memory, x, n * sizeof(double));
    memcpy(y, memory, n * sizeof(double));
    double *w = (double *)memory;
    for (int i = 0; i < n; i++)
        y[i] *= w[i];
    free(memory);
}
