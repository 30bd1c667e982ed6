/*---
function = "widths"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 20
[inputs]
y = { zeros = [20] }
x = { shape = [20], random = 1 }
c = { shape = [20], random = 2, low = -100, high = 100 }
h = { shape = [20], random = 3, low = 0, high = 60000 }
w = { shape = [20], random = 4, low = 0, high = 4000000000 }
l = { shape = [20], random = 5, low = -1000000000000, high = 1000000000000 }
---*/
// Integers of all widths, which wrap, shift, divide and convert as in C: as factors and as indices.
#include <stdint.h>

__global__ void widths(double *y, const double *x, const signed char *c, const unsigned short *h, const uint32_t *w,
                       const int64_t *l)
{
    int t = threadIdx.x;
    unsigned char byte = (unsigned char)(c[t] * 3);
    short narrow = (short)(h[t] + 40000);
    uint32_t wrapped = w[t] * 5u + 7u;
    int64_t wide = l[t] / 1000;
    unsigned long long big = (unsigned long long)w[t] * w[t];
    int8_t small = -(c[t] >> 1);
    long mixed = -7 / 2 + -7 % 2 + (c[t] < 0u) + (t - 1 > 0u);
    size_t index = (byte + wrapped % 13u + (big >> 40)) % 20u;
    double v = x[t] * x[index];
    v += (narrow / 1000) * x[t] + wide * 1e-9 * x[t] * x[t];
    v *= 1.0 + small * 0.01 + mixed * 0.1;
    y[t] = v + (float)wrapped * 1e-9 * x[(unsigned)c[t] % 20u] + ~t * x[t] * 0.01;
}
