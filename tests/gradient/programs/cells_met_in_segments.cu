/*---
function = "run"
wrt = ["u", "w"]
of = ["y"]
[inputs]
u = { shape = [40], random = 1 }
w = { shape = [4], random = 7 }
y = { shape = [40], random = 3 }
n = 40
---*/
// A long loop, and in it one of unknown length in which all threads add to few cells.
#include <math.h>

__global__ void march(double *y, const double *u, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = u[i], b = 0.1, c = 0;
    for (int k = 99; k > 0; k -= 2) {
        double s = sin(a + w[k & 3]);
        double q = cos(b);
        for (int m = 1; m < 30; m *= 3) { q = q * 0.7 + 0.1 * sin(q + s) * u[(i + m) % n]; s = 0.5 * s + w[m & 3] * q; }
        b = a;
        a = 0.5 * q + s * 0.3;
        c += a * b;
        if (c > 2) c = exp(-c);
    }
    y[i] = c + a * b;
}

void run(double *y, const double *u, const double *w, int n)
{
    march<<<(n + 15) / 16, 16>>>(y, u, w, n);
}
