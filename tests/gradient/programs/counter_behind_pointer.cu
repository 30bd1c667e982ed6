/*---
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [64], random_uniform = 2, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "stepped_and_set"
function = "stepped_and_set"

[[cases]]
name = "handed_on"
function = "handed_on"
---*/
// A counter with a steady step that is also changed through a pointer taken before the loop.
__global__ void stepped_and_set(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = 0;
    int *p = &c;
    double s = x[i];
    while (c < 12) {
        c++;
        s = sin(s) * x[c];
        if (c == 4)
            *p = 7;
    }
    y[i] = s;
}

__device__ void stretch(int *c)
{
    *c = *c * 2 - 1;
}

__global__ void handed_on(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int c = 0;
    int *p = &c;
    double s = x[i];
    for (int j = 0; j < 4; j++) {
        c += 2;
        s = sin(s) * x[c];
        stretch(p);
        s *= x[c];
    }
    y[i] = s;
}
