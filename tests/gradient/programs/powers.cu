/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [2], block = [37] }
[inputs]
y = { zeros = [74] }
x = { shape = [80], random_uniform = 1, low = 0.5, high = 1.5 }
m = 12

[[cases]]
function = "halved"
[[cases]]
function = "doubled"
[[cases]]
function = "by_ten"
[[cases]]
function = "not_to_be_turned"
[[cases]]
function = "once_or_never"
[[cases]]
function = "other_types"
---*/
// Loops over powers: where the text tells every value of the index, they run the other way; else the values are kept.
__global__ void halved(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int h = 16; h > 0; h /= 2)
        v += v * v * x[(i + h) % 80] / h;
    for (int h = 1 << 5; h >= 4; h >>= 1)
        v = sin(v) * x[h] + v;
    y[i] = v;
}

__global__ void doubled(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int h = 1; h < 64; h *= 2)
        v = cos(v * x[h]) + v;
    for (int h = 3; h <= 48; h <<= 1)
        v *= x[h] + 0.1 * v;
    y[i] = v;
}

__global__ void by_ten(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int k = 100000; k >= 10; k /= 10)
        v += sin(v * k) / k;
    for (long k = 7; k < 1000; k = k * 3)
        v = v * x[k % 80] + 1.0 / k;
    y[i] = v;
}

// 100, 50, 25, 12: doubling 12 does not lead back; m is not known; the body changes the index.
__global__ void not_to_be_turned(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int h = 100; h > 10; h /= 2)
        v = sin(v) * x[h % 80] + v;
    for (int h = m; h > 0; h /= 2)
        v = sin(v) * x[h] + v;
    for (int h = 1; h < m; h *= 2)
        v = sin(v) * x[h] + v;
    for (int h = 64; h > 0; h /= 2) {
        v = sin(v) * x[h] + v;
        if (i % 3 == 0 && h == 16)
            h = 4;
    }
    y[i] = v;
}

__global__ void once_or_never(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (int h = 4; h > 3; h /= 2)
        v = sin(v) * x[h];
    for (int h = 4; h > 9; h /= 2)
        v = sin(v) * x[h];
    int h;
    for (h = 32; h > 1; h /= 2)
        v = v * v * x[h] + 0.3;
    y[i] = v * h;
}

__global__ void other_types(double *y, const double *x, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double v = x[i];
    for (unsigned h = 64u; h > 0; h >>= 1)
        v = sin(v * h) * x[h] / h + v;
    for (size_t h = 1; h <= 64; h *= 4)
        v = sin(v) * x[h] + 1.0 / h;
    for (unsigned char h = 64; h > 0; h /= 4)
        v = cos(v) * x[h] + v;
    for (short h = 2; 70 > h; h *= 6)
        v = v * v * x[h];
    y[i] = v;
}
