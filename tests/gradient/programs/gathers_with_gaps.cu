/*---
wrt = ["x"]
of = ["y"]
[inputs]
y = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [200], random_uniform = 2, low = 0.3, high = 1.7 }
n = 7

[[cases]]
name = "columns"
function = "columns"

[[cases]]
name = "every_third"
function = "every_third"

[[cases]]
name = "wide_steps"
function = "wide_steps"
---*/
// Cells that lie apart in steps: what is added to reaches further than there are threads.
__global__ void sum_columns(double *y, const double *x)
{
    int k = threadIdx.x;
    double c = 0.0;
    for (int j = 0; j < 6; j++)
        c += x[j * 6 + k];
    y[k] = c * c;
}

void columns(double *y, const double *x, int n)
{
    sum_columns<<<1, 6>>>(y, x);
}

__global__ void thirds(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = sin(x[3 * i]) * x[3 * i + 3];
}

void every_third(double *y, const double *x, int n)
{
    thirds<<<2, 5>>>(y, x, n);
}

__global__ void steps(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0.0;
    for (int j = n; j < 2 * n; j += 2)
        s += x[i + 4 * j] * y[i];
    y[i] = s;
}

void wide_steps(double *y, const double *x, int n)
{
    steps<<<3, 4>>>(y, x, n);
}
