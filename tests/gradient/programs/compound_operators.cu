/*---
function = "compound"
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 1
block = 32
[inputs]
y = { shape = [32], random_uniform = 1, low = 0.5, high = 2.0 }
x = { shape = [32], random_uniform = 2, low = 0.5, high = 2.0 }
---*/
// Every compound assignment: four on values, all on whole numbers that steer.
__global__ void compound(double *y, const double *x)
{
    int t = threadIdx.x, k = t;
    k += 3;
    k *= 5;
    k -= t;
    k /= 2;
    k %= 29;
    k <<= 2;
    k >>= 1;
    k |= 1;
    k &= 0x1e;
    k ^= 5;
    double v = x[k];
    v += y[t];
    v -= 0.5 * x[t];
    v *= v;
    v /= x[t] + v;
    y[t] -= v;
    y[t] /= x[t];
    y[t] *= y[t];
    y[t] += v * x[31 - t];
}
