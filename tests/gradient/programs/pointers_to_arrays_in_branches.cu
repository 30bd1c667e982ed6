/*---
function = "model"
wrt = ["x"]
[inputs]
x = { shape = [12], random_uniform = 1, low = 0.5, high = 1.5 }
n = 12
---*/
// Arrays of a branch that pointers lead to: the reverse sweep comes back to them when the branch has long been left.
#include <cstring>

double product(const double *x, int n)
{
    double value = 1.0;
    if (n > 2) {
        double part[64];
        memcpy(part, x, n * sizeof(double));
        for (int i = 0; i < n; ++i) {
            const double *w = part + i;
            value = sqrt(value * value + *w);
        }
    }
    return value;
}

double other(const double *x, int n)
{
    double value = 1.0;
    if (n > 3) {
        double part[80];
        memcpy(part, x, n * sizeof(double));
        for (int i = 0; i < n; ++i) {
            const double *w = part + i;
            value *= *w + 1.5;
        }
    }
    return value;
}

double model(const double *x, int n)
{
    return product(x, n) * other(x, n) + product(x + 1, n - 1);
}
