/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [2], block = [64] }
[inputs]
y = { zeros = [128] }
x = { shape = [128], random = 1 }
c = { shape = [128], random = 2 }
m = 3

[[cases]]
function = "counted"
[[cases]]
function = "halved"
[[cases]]
function = "twice"
---*/
// Of a loop nothing is needed but that its threads wait: what is stored in front of it is read behind it by others.
__global__ void counted(double *y, const double *x, const double *c, int m)
{
    __shared__ double s[64], other[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i] * x[i];
    other[t] = c[i];
    for (int k = 0; k < m; k++) {
        other[t] += k;
        __syncthreads();
    }
    y[i] = s[63 - t] * s[(t + 5) % 64];
}

__global__ void halved(double *y, const double *x, const double *c, int m)
{
    __shared__ double s[64], most[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = exp(x[i]);
    most[t] = c[i];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            most[t] = fmax(most[t], most[t + half]);
    }
    double v = s[63 - t];
    __syncthreads();
    y[i] = v * v * (1 + 0 * most[0]);
}

__global__ void twice(double *y, const double *x, const double *c, int m)
{
    __shared__ double s[64];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i] * x[i];
    for (int k = 0; k < m; k++) {
        for (int l = 0; l < 2; l++)
            __syncthreads();
        __syncthreads();
    }
    double v = s[63 - t] * s[t];
    for (int k = 0; k < m; k++)
        __syncthreads();
    s[t] = v * c[i];
    for (int k = 0; k < m; k++)
        __syncthreads();
    y[i] = s[(t + 1) % 64] * s[t];
}
