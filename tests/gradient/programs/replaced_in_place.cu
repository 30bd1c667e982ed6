/*---
wrt = ["x", "w"]
of = ["x"]
launch = { grid = [3], block = [16] }
[inputs]
x = { shape = [111], random = 1 }
w = { shape = [111], random = 2 }
which = { shape = [37], random = 3, low = 0, high = 3 }
n = 37

[[cases]]
function = "alone"
[[cases]]
function = "three_cells"
[[cases]]
function = "not_always"
[[cases]]
function = "read_between"
[[cases]]
function = "at_a_moved_place"
[[cases]]
function = "left_early"
[[cases]]
function = "again_and_again"
[[cases]]
function = "neighbours"
---*/
// Kernels that change their input: in reverse, a thread takes an adjoint and adds to the same cell.
__global__ void alone(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = sin(x[i]) * w[i];
}

__global__ void three_cells(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
        x[3 * i] = a * b * w[i];
        x[3 * i + 2] = exp(0.1 * b) * c;
        x[3 * i + 1] = a - b * c;
    }
}

__global__ void not_always(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = w[i];
        if (which[i] > 0)
            v += x[i] * x[i];
        x[i] = v * v;
    }
}

__global__ void read_between(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = x[i];
        x[i] = v * w[i];
        x[i + 37] = x[i] * v;
        x[i] = x[i + 37] + v * v;
    }
}

__global__ void at_a_moved_place(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = i;
        double v = x[k] * w[k];
        k += 37;
        x[k] = v * x[k];
    }
}

__global__ void left_early(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < 3; k++) {
        if (which[i] == k)
            break;
        double v = x[3 * i + k];
        x[3 * i + k] = v * v * w[i];
        if (which[i] == 2 && k == 1)
            continue;
        x[3 * i + k] *= 0.5 + v;
    }
}

__global__ void again_and_again(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < which[i]; k++)
            x[i] = x[i] * w[i + k] + 0.1 * cos(x[i]);
}

__global__ void neighbours(double *x, const double *w, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double v = x[2 * i] * w[i];
        x[2 * i] = v + x[2 * i + 1];
        x[2 * i + 1] = v * x[2 * i];
    }
}
