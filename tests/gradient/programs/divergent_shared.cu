/*---
function = "branches"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 16
[inputs]
y = { zeros = [32] }
x = { shape = [32], random = 1 }
mode = 1

[[cases]]
name = "with_exchange"

[[cases]]
name = "without"
inputs = { mode = 0 }
---*/
// A barrier under a condition that is the same for the whole block; stores under conditions that are not.
__global__ void branches(double *y, const double *x, int mode)
{
    __shared__ double s[17];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    double v = x[i];
    if (mode == 1) {
        if (v > 0.0)
            s[t] = v * v;
        else
            s[t] = -v;
        if (t == 15)
            s[16] = s[15] * 0.5;
        __syncthreads();
        v = s[t + 1] * v + s[16];
    } else {
        v = v * v * v;
    }
    if (blockIdx.x == 1) {
        __syncthreads();
        s[t] = v;
        __syncthreads();
        v += s[15 - t];
    }
    y[i] = v;
}
