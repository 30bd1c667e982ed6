/*---
function = "power"
wrt = ["a", "b"]
of = ["a"]
reference = { a = "4 * a**3 * b * adj_a", b = "a**4 * adj_a" }
[launch]
grid = 1
block = 20
[inputs]
a = { shape = [20], random = 1 }
b = { shape = [20], random = 2 }
---*/
// The overwrite rule within a thread: `*p *= *p` reads and writes one cell, several times over.
__global__ void power(double *a, const double *b)
{
    double *p = a + threadIdx.x;
    *p *= *p;
    *p *= *p;
    *p *= b[threadIdx.x];
}
