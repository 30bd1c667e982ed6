/*---
function = "fold"
wrt = ["x"]
of = ["y"]
[launch]
grid = 3
block = 32
[inputs]
y = { zeros = [3] }
x = { shape = [96], random_uniform = 1, low = 0.5, high = 1.5 }
---*/
// A warp that shares memory with no barrier but __syncwarp.
__global__ void fold(double *y, const double *x)
{
    __shared__ double s[32];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 32 + t];
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        double v = s[t];
        if (t < d)
            v = v + s[t + d] * s[t];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    if (t == 0)
        y[blockIdx.x] = log(s[0]);
}
