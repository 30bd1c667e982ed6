/*---
wrt = ["x", "a"]
of = ["x"]
[inputs]
x = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
a = { shape = [24], random_uniform = 2, low = 0.3, high = 1.7 }
n = 15

[[cases]]
name = "one_row_adds"
function = "one_row_adds"

[[cases]]
name = "own_value"
function = "own_value"

[[cases]]
name = "other_half"
function = "other_half"

[[cases]]
name = "behind_a_barrier"
function = "behind_a_barrier"

[[cases]]
name = "sums_of_rows"
function = "sums_of_rows"

[[cases]]
name = "in_place_by_one"
function = "in_place_by_one"
---*/
// Several threads for each element that are in nobody's way: none reads what another one may be writing.
#define ROWS dim3(2), dim3(8, 3)

__global__ void first_row(double *x, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.y == 0)
        x[i] += a[i] * x[i];
}

void one_row_adds(double *x, const double *a, int n)
{
    first_row<<<ROWS>>>(x, a, n);
}

__global__ void stored_and_read(double *x, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[2 * i] = sin(a[i]);
        x[2 * i + 1] = x[2 * i] * x[2 * i] * a[0];
    }
}

void own_value(double *x, const double *a, int n)
{
    stored_and_read<<<ROWS>>>(x, a, n);
}

__global__ void to_the_other_half(double *x, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i + 32] = x[i] * a[i];
}

void other_half(double *x, const double *a, int n)
{
    to_the_other_half<<<ROWS>>>(x, a, n);
}

__global__ void turned(double *x, const double *a, int n)
{
    __shared__ double old[16];
    int t = threadIdx.x;
    for (int k = 0; k < 3; k++) {
        old[t] = x[t] * a[t];
        __syncthreads();
        x[t] = old[(t + 1) % 16] * old[t];
        __syncthreads();
    }
}

void behind_a_barrier(double *x, const double *a, int n)
{
    turned<<<1, dim3(16, 2)>>>(x, a, n);
}

__global__ void counted(double *x, const double *a, int n)
{
    __shared__ double sum[16];
    int t = threadIdx.x;
    if (threadIdx.y == 0)
        sum[t] = 0;
    __syncthreads();
    atomicAdd(&sum[t], a[t] * x[t + 16]);
    __syncthreads();
    x[t] = sum[t] * sum[(t + 5) % 16];
}

void sums_of_rows(double *x, const double *a, int n)
{
    counted<<<1, dim3(16, 3)>>>(x, a, n);
}

__global__ void alone(double *x, const double *a, int n)
{
    for (int i = 0; i < n; i++)
        x[i + 1] += a[i] * x[i];
}

void in_place_by_one(double *x, const double *a, int n)
{
    dim3 one(1, 1, 1);
    alone<<<one, one>>>(x, a, n);
}
