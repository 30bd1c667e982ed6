/*---
function = "run"
wrt = ["x", "u", "c"]
of = ["x"]
[inputs]
x = { shape = [41], random_uniform = 1, low = -1.0, high = 1.0 }
u = { shape = [41], random_uniform = 2, low = -1.0, high = 1.0 }
c = 0.7
n = 41
top = 3

[[cases]]
name = "several blocks"

[[cases]]
name = "no trips"
inputs = { top = -1 }
---*/
// Loops within loops, counted down by two, keep values on stacks of their own; what the reverse sweep needs of these
// values is a function of them that comes after the stack has grown.
#include <math.h>

__global__ void literal(double *x, const double *u, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double r = 0.5, s = x[i];
    for (int a = 1; a >= -1; a -= 2) {
        for (int b = 1; b >= -1; b -= 2) {
            s += cos(r) * u[(i - b + n) % n];
            for (int d = 1; d >= -1; d -= 2) {
                r = tanh(s) * c;
                s = u[(i + 1) % n] + 0.1 * d * r;
            }
        }
    }
    x[i] = r * r + s;
}

__global__ void given(double *x, const double *u, double c, int n, int top)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double r = x[i], s = c;
    for (int a = 2; a > 0; --a) {
        for (int b = top; b >= -1; b -= 2) {
            s = sin(r) * u[i];
            r = s + exp(s) * c;
        }
        for (int b = 4; b > 0; b /= 2)
            r = r * 0.5 + sin(r + a) * u[(i + b) % n];
    }
    x[i] = r * s;
}

void run(double *x, const double *u, double c, int n, int top)
{
    literal<<<(n + 15) / 16, 16>>>(x, u, c, n);
    given<<<(n + 15) / 16, 16>>>(x, u, c, n, top);
}
