/*---
function = "pull"
wrt = ["x", "m"]
of = ["a"]
[launch]
grid = 3
block = 32
[inputs]
a = { shape = [75], random = 1 }
x = { shape = [75], random = 2 }
m = { shape = [75], random = 3 }
n = 75
lanes = 75

[[cases]]
name = "pull"

[[cases]]
name = "pull_fewer_threads"
launch = { grid = 1, block = 64 }

[[cases]]
name = "pull_odd_block"
launch = { grid = 4, block = 20 }

[[cases]]
name = "pull_many_threads"
launch = { grid = 7, block = 64 }

[[cases]]
name = "others_only"
function = "others_only"

[[cases]]
name = "upper_triangle"
function = "upper_triangle"

[[cases]]
name = "upper_triangle_fewer_threads"
function = "upper_triangle"
launch = { grid = 2, block = 32 }

[[cases]]
name = "one_pass_of_two"
function = "one_pass_of_two"

[[cases]]
name = "strided_own"
function = "strided_own"
---*/
// Every thread with every other: each cell is a thread's own in its loop, and everybody else's in theirs.

__global__ void pull(double *a, const double *x, const double *m, int n, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int j = 0; j < lanes; j++) {
            double d = x[j] - x[i];
            sum += m[i] * m[j] * d / (d * d + 0.7);
        }
        a[i] = sum;
    }
}

__global__ void others_only(double *a, const double *x, const double *m, int n, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            if (j == i || m[j] < -0.5)
                continue;
            sum += m[j] / (x[j] * x[j] + x[i] * x[i] + 0.3);
        }
        a[i] = sum * x[i];
    }
}

__global__ void upper_triangle(double *a, const double *x, const double *m, int n, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int j = i + 1; j < n; j++)
            sum += m[j] * (x[i] - x[j]) * (x[i] - x[j]);
        a[i] = sum;
    }
}

// The sum of a first loop is needed in the second: it cannot be worked out once for each pair.
__global__ void one_pass_of_two(double *a, const double *x, const double *m, int n, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double mean = 0.0;
        for (int j = 0; j < n; j++)
            mean += x[j] * x[j] / n;
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += m[j] * (x[j] - mean) * (x[j] - x[i]) * (x[j] - mean);
        a[i] = sum;
    }
}

// A thread's own cell is another one than that of its pairs.
__global__ void strided_own(double *a, const double *x, const double *m, int n, int lanes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 3) {
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += m[2 * i] * x[j] * x[3 * i] + x[j] * m[j];
        a[i] = sum;
    }
}
