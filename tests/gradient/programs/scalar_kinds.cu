/*---
function = "convert"
wrt = ["x", "a", "b"]
of = ["y"]
[launch]
grid = 2
block = 8
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 1 }
a = 0.7
b = -1.2
flag = 1
n = 16
kind = 3
---*/
// Parameters by value of many types, some changed in the kernel: double, float, bool, char, long long, unsigned.
__global__ void convert(double *y, const float *x, double a, float b, bool flag, long long n, unsigned char kind)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    b *= x[i];
    if (flag)
        a += b * b;
    kind += 254;
    flag = !flag;
    y[i] = a * b + kind * a + flag;
}
