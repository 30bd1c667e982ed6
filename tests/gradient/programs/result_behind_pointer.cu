/*---
function = "f"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [5] }
x = { shape = [5], random_uniform = 1, low = 0.5, high = 1.5 }
w = 0.7
n = 5
---*/
// What a function returns is stored behind a pointer that was found by another one.
#include <math.h>
#include <stdlib.h>

void f(double *y, const double *x, double w, int n)
{
    double a = 1, b = 2, c = w;
    double *table[3] = {&a, &b, &c};
    const char *texts[2] = {"0.5", "0.25"};
    for (int i = 0; i < n; i++) {
        double **q = &table[(i * 7) % 3];
        if (i % 2)
            q[0][0] = atof(texts[(i / 2) % 2]);
        else
            *q[0] = sin(x[i] * **q);
        y[i] = x[i] * a * x[i] + b * c;
    }
}
