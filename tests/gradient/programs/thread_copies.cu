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
name = "pointers_moved"
function = "pointers_moved"

[[cases]]
name = "count_changed"
function = "count_changed"

[[cases]]
name = "taken_address"
function = "taken_address"

[[cases]]
name = "sorted"
function = "sorted"

[[cases]]
name = "early_exits"
function = "early_exits"

[[cases]]
name = "newton"
function = "newton"
---*/
// What threads do with copies of their own: parameters, local arrays, control flow out of the middle.
__global__ void pointers_moved(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    x += i;
    y += i;
    double t = *x;
    x++;
    *y = t * *x;
}

__global__ void count_changed(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = x[i];
    while (n > 4) {
        s = sin(s) + x[n];
        n -= 3;
    }
    y[i] = s * n;
}

__device__ void halve(int *n)
{
    *n /= 2;
}

__global__ void taken_address(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    halve(&n);
    double s = x[i];
    for (int j = 0; j < n; j++)
        s = sin(s) + x[j];
    y[i] = s;
}

__device__ void swap(double *p, double *q)
{
    double t = *p;
    *p = *q;
    *q = t;
}

__global__ void sorted(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[4];
    for (int j = 0; j < 4; j++)
        a[j] = x[i + j];
    for (int j = 1; j < 4; j++)
        for (int q = j; q > 0 && a[q - 1] > a[q]; q--)
            swap(&a[q - 1], &a[q]);
    y[i] = a[0] + a[1] * a[1] + a[2] * 3 * a[3];
}

__global__ void early_exits(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = x[i];
    for (int j = 0; j < 8; j++) {
        s = sin(s) + x[j];
        if (j == i)
            return;
        switch (j) {
        case 2:
            continue;
        case 4:
            s = s * s;
            break;
        default:
            s += 0.1;
        }
        y[i] = s * s;
        if (s > 2) {
            y[i] = s;
            return;
        }
    }
    y[i] += s;
}

__global__ void newton(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 1;
    for (int j = 0; j < 20; j++) {
        double d = (s * s - x[i]) / (2 * s);
        s -= d;
        if (fabs(d) < 1e-12)
            break;
    }
    y[i] = s;
}
