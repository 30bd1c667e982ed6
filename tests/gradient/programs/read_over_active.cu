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
// Numbers that are read from texts take the place of active ones, whose adjoints end there.
#include <stdlib.h>
void f(double *y, const double *x, double w, int n)
{
    double a = x[0] * w;
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * a;
        a = atof("0.5");
        y[i] += a * x[i] * w;
        a *= x[i];
        if (x[1] < 100)
            y[2] = strtod("2", NULL);
        y[3] = strtod("1.25", NULL);
    }
}
