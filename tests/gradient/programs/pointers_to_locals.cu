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
name = "assigned_from_itself"
function = "assigned_from_itself"

[[cases]]
name = "added_to_itself"
function = "added_to_itself"

[[cases]]
name = "through_both"
function = "through_both"

[[cases]]
name = "kept_copy"
function = "kept_copy"

[[cases]]
name = "chosen"
function = "chosen"
---*/
// A local variable that is also reached through a pointer.
__global__ void assigned_from_itself(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i];
    double *p = &a;
    a = *p * 2.0;
    y[i] = a * x[1];
}

__global__ void added_to_itself(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i];
    double *p = &a;
    a += *p * *p;
    a -= x[1] * *p;
    y[i] = a * x[1];
}

__global__ void through_both(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = x[i + 1];
    double *p = i % 2 ? &a : &b;
    *p *= a * b;
    b = *p * 2 + b;
    y[i] = a * b * *p;
}

__global__ void kept_copy(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int trips = i % 3;
    int *q = &trips;
    int before = trips;
    *q = 5;
    double a = x[i];
    double *p = &a;
    double t = a;
    *p = 5.0 * t * t;
    for (int j = 0; j < before; j++)
        a = sin(a) * trips;
    y[i] = t * t * a;
}

__device__ void redirect(double *o, double *p, int c)
{
    if (c % 2)
        o = p;
    *o = *o * *p;
    *p = *o * 1.5;
}

__global__ void chosen(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = x[i + 1];
    redirect(&a, &b, i);
    y[i] = a * b;
}
