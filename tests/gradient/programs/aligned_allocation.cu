/*---
function = "f"
wrt = ["x"]
of = ["y"]
[inputs]
n = 6
x = { shape = [7], random = 1 }
y = { zeros = [6] }
---*/
// Memory of aligned_alloc, in a loop that uses what it has kept.
#include <stdlib.h>

void f(int n, const double *x, double *y)
{
    double *t = (double *)aligned_alloc(64, 8 * sizeof(double));
    for (int i = 0; i < 7; i++)
        t[i] = x[i] * x[i];
    for (int step = 0; step < 3; step++)
        for (int i = 0; i < n; i++)
            t[i] = t[i] * t[i + 1];
    for (int i = 0; i < n; i++)
        y[i] += t[i];
    free(t);
}
