/*---
function = "accumulate"
wrt = ["x"]
[inputs]
x = { shape = [10], random = 1 }

[[cases]]
name = "in_a_loop"

[[cases]]
name = "same_variable"
function = "twice"
---*/
// Host memory that is allocated and freed in every iteration, or twice into one variable.
#include <stdlib.h>

double accumulate(const double *x)
{
    double s = 0;
    for (int t = 0; t < 3; t++) {
        int m = 2 * (t + 1);
        double *h = (double *)malloc(m * sizeof(double));
        for (int i = 0; i < m; i++)
            h[i] = x[i] * x[i + 1];
        for (int i = 0; i < m; i++)
            s += h[i] * h[0] * t;
        free(h);
    }
    return s;
}

double twice(const double *x)
{
    double s = 0;
    double *h = (double *)malloc(10 * sizeof(double));
    for (int i = 0; i < 10; i++)
        h[i] = x[i] * x[i];
    for (int i = 0; i < 10; i++)
        s += h[i] * x[0];
    free(h);
    h = (double *)calloc(4, sizeof(double));
    h[1] = s * x[1];
    s += h[1] * h[1] + h[0];
    free(h);
    return s;
}
