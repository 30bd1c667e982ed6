/*---
wrt = ["y", "x"]
of = ["y", "x"]
[inputs]
y = { shape = [40], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [40], random_uniform = 2, low = 0.3, high = 1.7 }
z = { shape = [40], random_uniform = 3, low = 0.3, high = 1.7 }
n = 7

[[cases]]
name = "halves"
function = "halves"

[[cases]]
name = "added_to"
function = "added_to"

[[cases]]
name = "one_cell"
function = "one_cell"
---*/
// Cells whose adjoint is taken in the same kernel that adds to it: the sums must not come before.
__global__ void set_half(double *y, double *x, const double *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = sin(x[i + n]) * x[i];
        x[i + n] = z[i] * 2.0;
    }
}

void halves(double *y, double *x, const double *z, int n)
{
    set_half<<<2, 5>>>(y, x, z, n);
    set_half<<<2, 5>>>(y + 1, x, z, n);
}

__global__ void add_half(double *y, double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = sin(x[i + n]) * x[i];
        x[i + n] += y[i];
    }
}

void added_to(double *y, double *x, const double *z, int n)
{
    add_half<<<2, 5>>>(y, x, n);
    add_half<<<3, 4>>>(y, x, n);
}

__global__ void three_times(double *y, const double *x, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 2) {
        y[0] += sin(x[0]);
        y[0] += y[0] * c;
        y[1] += y[0] * x[1];
        y[0] = y[1] * y[0];
    }
}

void one_cell(double *y, double *x, const double *z, int n)
{
    three_times<<<2, 3>>>(y, x, 0.7, n);
    three_times<<<2, 3>>>(y, x, 0.4, n);
}
