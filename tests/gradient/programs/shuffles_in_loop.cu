/*---
function = "rotate"
wrt = ["x", "a"]
of = ["y"]
[launch]
grid = 1
block = 64
[inputs]
y = { zeros = [64] }
x = { shape = [64], random = 1 }
a = 0.4
rounds = 5

[[cases]]
name = "five"

[[cases]]
name = "none"
wrt = ["x"]
inputs = { rounds = 0 }

[[cases]]
name = "each_warp_its_own"
function = "rotate_some"
---*/
// Shuffles in a loop whose trips an argument decides, or the warp: each round's value feeds the next, nonlinearly.
__global__ void rotate(double *y, const double *x, double a, int rounds)
{
    double v = x[threadIdx.x];
    for (int k = 0; k < rounds; k++) {
        double next = __shfl_sync(0xffffffff, v, threadIdx.x + 1);
        v = v + a * sin(next * v);
    }
    y[threadIdx.x] = v;
}

__global__ void rotate_some(double *y, const double *x, double a, int rounds)
{
    double v = x[threadIdx.x];
    int warp = threadIdx.x / 32;
    for (int k = 0; k < rounds - 2 * warp; k++)
        v = 0.5 * v + a * v * __shfl_xor_sync(0xffffffff, v, 1 << k);
    y[threadIdx.x] = v;
}
