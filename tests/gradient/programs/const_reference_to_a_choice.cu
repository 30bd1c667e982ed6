/*---
function = "k"
wrt = ["x"]
of = ["y"]
launch = { grid = 3, block = 16 }
[inputs]
y = { zeros = [40] }
x = { shape = [40], random_uniform = 5, low = 0.3, high = 1.7 }
n = 37
---*/
// `const T &r = c ? a : b` is a copy as long as neither changes.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

__global__ void k(real *y, const real *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    real a = 0, b = 2;
    if (i < n) {
        a = x[i] * x[0];
        for (int j = 0; j < 3; j++) {
            const real &larger = a > 1 ? a : b;
            const real &other = j ? larger : i % 2 ? x[(i + j) % n] : b;
            real product = larger * other;
            y[i] += product * product;
        }
    }
}
