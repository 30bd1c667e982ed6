/*---
function = "window"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [150] }
x = { shape = [170], random = 1 }
w = { shape = [90], random = 2 }
n = 143
m = 19

[[cases]]
name = "whole_warps"
launch = { grid = [5], block = [32] }

[[cases]]
name = "warps_and_a_half"
launch = { grid = [3], block = [48] }

[[cases]]
name = "lanes_that_part"
function = "chosen"
launch = { grid = [3], block = [64] }

[[cases]]
name = "loops_of_different_length"
function = "triangle"
launch = { grid = [2], block = [96] }

[[cases]]
name = "rows_of_threads"
function = "rows"
launch = { grid = [2, 3], block = [8, 16] }

[[cases]]
name = "long_rows_of_threads"
function = "rows"
launch = { grid = [1, 4], block = [32, 8] }
---*/
// Cells that do not depend on the lane: weights in a loop, a cell of the block, a cell of a row of threads.
__global__ void window(double *y, const double *x, const double *w, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < m; k++)
        sum += w[k] * w[k + blockIdx.x] * x[i + k];
    y[i] = sum;
}

__global__ void chosen(double *y, const double *x, const double *w, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < m; k++) {
        if (x[i + k] > 0)
            sum += w[k] * x[i + k];
        else if ((i + k) % 3 == 0)
            sum -= w[2 * k] * w[k];
    }
    y[i] = sum;
}

__global__ void triangle(double *y, const double *x, const double *w, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = i % m; k < m; k++)
        sum += w[k] * x[i];
    for (int k = 0; k < i % m; k++)
        sum += w[k + m] * sum * 0.1;
    y[i] = sum;
}

__global__ void rows(double *y, const double *x, const double *w, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < 7) {
        int at = i + (i * i) % 5;
        y[i * 7 + j] = w[at] * w[blockIdx.y + m] * x[i * 7 + j] + sin(w[at + 1] * x[j]);
    }
}
