/*---
function = "walk"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 2
block = 8
[inputs]
y = { shape = [13], random = 1 }
x = { shape = [60], random = 2 }
w = { shape = [60], random = 3 }
n = 13
steps = 5
---*/
// Pointers whose next value depends on where they point.
__global__ void walk(double *y, const double *x, const double *w, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const double *p = x, *q = w, *first = x;
        double sum = 0.0;
        for (int k = 0; k < steps; k++) {
            sum += p[i] * sin(q[i + k]);
            p = p == first ? q : first;
            q = q == p ? x + n : p + k % 2;
            p += (p == first) + (p == w);
            sum *= 1.0 + 0.1 * p[i] * q[i];
        }
        y[i] = sum;
    }
}
