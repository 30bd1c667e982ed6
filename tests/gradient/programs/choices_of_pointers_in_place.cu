/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random_uniform = 5, low = 0.3, high = 1.7 }
w = { shape = [40], random_uniform = 6, low = 0.3, high = 1.7 }
v = { shape = [40], random_uniform = 7, low = 0.3, high = 1.7 }
u = { shape = [40], random_uniform = 8, low = 0.3, high = 1.7 }
n = 37
[[cases]]
wrt = ["w"]
[[cases]]
wrt = ["v", "u"]
[[cases]]
inputs = { n = 23 }
[[cases]]
wrt = ["x", "w", "v", "u"]
inputs = { n = 11 }
---*/
// Pointers that are chosen where they are used, by a copy, a launch, a read and a store, of which only some lead to active
// memory: the others have adjoints too, which nobody reads.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

__global__ void k(real *y, const real *a, const real *b, const real *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    real p = 0, q = 0;
    if (i < n) {
        *(i % 2 ? &p : &q) = a[i];
        y[i] += p * p * b[i] + sin(q) * (i % 3 ? b : c)[n - 1 - i];
    }
}

void run(real *y, const real *x, const real *w, const real *v, const real *u, int n)
{
    real *t, *s;
    cudaMalloc(&t, n * sizeof(real));
    cudaMalloc(&s, n * sizeof(real));
    cudaMemcpy(t, n > 30 ? x : w, n * sizeof(real), cudaMemcpyDeviceToDevice);
    cudaMemcpy(n > 30 ? s : t, n > 20 ? w : x, n / 2 * sizeof(real), cudaMemcpyDeviceToDevice);
    k<<<3, 16>>>(y, t, n > 20 ? v : u, x, n);
    cudaFree(s);
    cudaFree(t);
}
