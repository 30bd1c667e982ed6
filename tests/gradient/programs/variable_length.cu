/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [7] }
x = { shape = [7], random = 1 }
n = 7
[[cases]]
name = ""
[[cases]]
name = "early"
inputs = { n = 5 }
---*/
// Local arrays whose length is known when the program runs: in a loop, in a function that is called, beside early ends of
// loops and functions.
#include <string.h>

static double product(const double *a, int n)
{
    double part[n + 1], pairs[n][2];
    part[0] = 1.0;
    for (int i = 0; i < n; i++) {
        part[i + 1] = part[i] * (1.0 + 0.25 * a[i]);
        pairs[i][0] = a[i];
        pairs[i][1] = a[i] * a[i];
        if (i == 5)
            return part[i] * pairs[i - 1][1];
    }
    return part[n] + pairs[0][1] * pairs[n - 1][0];
}

void driver(double *y, const double *x, int n)
{
    double squares[n];
    for (int i = 0; i < n; i++)
        squares[i] = x[i] * x[i];
    for (int k = 1; k < n; k++) {
        float rounded[2 * k];
        double kept[k];
        memcpy(kept, squares, sizeof kept);
        if (k == 2)
            continue;
        for (int i = 0; i < k; i++) {
            double held[i + 1];
            held[i] = kept[i] * squares[k];
            if (i == 4)
                break;
            rounded[2 * i] = (float)held[i];
            rounded[2 * i + 1] = rounded[2 * i] * rounded[0];
            squares[i] += held[i] * held[i];
        }
        y[k] = product(squares, k) + (k < 5 ? rounded[k] : kept[1]);
        if (sizeof squares < 48 && k == 3)
            return;
    }
    y[0] = product(squares, n);
}
