/*---
function = "in_range"
wrt = ["x", "y"]
of = ["y"]
[inputs]
y = { shape = [44], random = 1 }
x = { shape = [80], random = 2 }
n = 21
m = 3

[[cases]]
name = "in_range"

[[cases]]
name = "unsigned_neighbours"
function = "unsigned_neighbours"

[[cases]]
name = "starts_beyond"
function = "starts_beyond"

[[cases]]
name = "partly_taken"
function = "partly_taken"

[[cases]]
name = "downwards"
function = "downwards"

[[cases]]
name = "bound_reused"
function = "bound_reused"

[[cases]]
name = "index_reused"
function = "index_reused"

[[cases]]
name = "shifted_out"
function = "shifted_out"

[[cases]]
name = "no_thread_named"
function = "no_thread_named"

[[cases]]
name = "no_thread_named_empty"
function = "no_thread_named"
inputs = { n = 0 }

[[cases]]
name = "rows_of_threads"
function = "rows_of_threads"

[[cases]]
name = "within_one_array"
function = "within_one_array"
wrt = ["y"]
---*/
// Threads that share cells of an adjoint, where a proof or a gather could see too much in an index or a guard.
__global__ void range_check(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((unsigned)(i - 1) < (unsigned)n)
        y[i] = x[i] * x[i - 1] + x[i] * x[i + 1];
}

void in_range(double *y, const double *x, int n, int m)
{
    range_check<<<4, 8>>>(y, x, n);
}

__global__ void from_both_sides(double *y, const double *x, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i > 0)
        y[i] = x[i - 1] * x[i + 1];
}

void unsigned_neighbours(double *y, const double *x, int n, int m)
{
    from_both_sides<<<3, 8>>>(y, x, n);
}

__global__ void unsigned_start(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (unsigned j = i - 2; j < (unsigned)n; j++)
            sum += x[i + j] * x[j + 1];
        y[i] = sum;
    }
}

void starts_beyond(double *y, const double *x, int n, int m)
{
    unsigned_start<<<4, 8>>>(y, x, n);
}

__global__ void cleared_in_part(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += x[i + 1] * x[i] * x[i];
        if (i % m)
            y[i] = 0.0;
    }
}

void partly_taken(double *y, const double *x, int n, int m)
{
    cleared_in_part<<<4, 8>>>(y, x, n, m);
}

__global__ void downward_steps(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int j = m + 5; j > 0; j -= 2)
            sum += x[i + j] * x[i + j + 1];
        y[i] = sum;
    }
}

void downwards(double *y, const double *x, int n, int m)
{
    downward_steps<<<3, 8>>>(y, x, n, m);
}

__global__ void bound_becomes_index(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        n = i;
        y[i] = x[n] * x[n + 1];
    }
}

void bound_reused(double *y, const double *x, int n, int m)
{
    bound_becomes_index<<<3, 8>>>(y, x, n);
}

__global__ void index_before_loop(double *y, const double *x, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 2 * i;
    if (j < n) {
        double sum = 0.0;
        for (j = 0; j < m; j++)
            sum += x[i + j] * x[j];
        y[i] = sum;
    }
}

void index_reused(double *y, const double *x, int n, int m)
{
    index_before_loop<<<3, 8>>>(y, x, n, m);
}

__global__ void all_bits_shifted_out(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned cell = (unsigned)i << 15;
    cell <<= 15;
    cell <<= 2;
    if (i < n)
        y[i] = x[cell] * x[cell];
}

void shifted_out(double *y, const double *x, int n, int m)
{
    all_bits_shifted_out<<<3, 8>>>(y, x, n);
}

__global__ void first_cell(double *y, const double *x)
{
    y[0] = x[0] * x[1];
}

void no_thread_named(double *y, const double *x, int n, int m)
{
    first_cell<<<n, 4>>>(y, x);
}

__global__ void along_y(double *y, const double *x, int n)
{
    int j = threadIdx.y;
    if (j < n)
        y[j] = x[j] * x[j];
}

void rows_of_threads(double *y, const double *x, int n, int m)
{
    along_y<<<1, 8>>>(y, x, n);
    along_y<<<1, dim3(4, 5)>>>(y + 1, x + 3, n);
}

__global__ void running(double *y, const double *x, int n)
{
    for (int j = 0; j < n - 1; j++)
        y[j + 1] += 0.5 * x[j];
}

void within_one_array(double *y, const double *x, int n, int m)
{
    running<<<1, 1>>>(y, y, n);
    running<<<1, 1>>>(y + 2, y, n);
}
