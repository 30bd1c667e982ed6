/*---
function = "mix"
wrt = ["x", "y"]
of = ["z"]
[inputs]
z = { zeros = [36] }
x = { shape = [36], random = 1 }
y = { shape = [36], random = 2 }

[[cases]]
name = "several"

[[cases]]
name = "carved"
function = "carved"
wrt = ["x"]

[[cases]]
name = "bytes"
function = "bytes"
---*/
// Several arrays in shared memory, of several types; and one dynamic array carved into parts.
__global__ void several_kernel(double *z, const double *x, const float *w)
{
    __shared__ double a[12];
    __shared__ float b[12][2];
    __shared__ int order[12];
    __shared__ double2 pair[12];
    int t = threadIdx.x, i = blockIdx.x * 12 + t;
    a[t] = x[i];
    b[t][0] = w[i];
    b[t][1] = 1.0f;
    order[t] = (5 * t + 1) % 12;
    pair[t].x = x[i] * x[i];
    pair[t].y = 2.0;
    __syncthreads();
    int k = order[t];
    z[i] = a[k] * b[(t + 1) % 12][0] + pair[11 - t].x * pair[k].y + b[t][1];
}

void mix(double *z, const double *x, const float *y)
{
    several_kernel<<<3, 12>>>(z, x, y);
}

__global__ void carved_kernel(double *z, const double *x, int n)
{
    extern __shared__ double memory[];
    double *left = memory;
    double *right = memory + n;
    int t = threadIdx.x, i = blockIdx.x * n + t;
    left[t] = x[i];
    right[t] = x[i] * x[i];
    __syncthreads();
    z[i] = left[n - 1 - t] * right[(t + 1) % n];
}

void carved(double *z, const double *x, const float *y)
{
    int n = 12;
    carved_kernel<<<3, n, 2 * n * sizeof(double)>>>(z, x, n);
}

__global__ void bytes_kernel(double *z, const double *x, const float *w, int n)
{
    extern __shared__ unsigned char raw[];
    double *a = (double *)raw;
    float *b = (float *)&a[n];
    int *order = (int *)(b + n);
    int t = threadIdx.x, i = blockIdx.x * n + t;
    a[t] = x[i];
    b[t] = w[i];
    order[t] = n - 1 - t;
    __syncthreads();
    z[i] = a[order[t]] * a[t] * b[(t + 2) % n];
}

void bytes(double *z, const double *x, const float *y)
{
    int n = 12;
    bytes_kernel<<<3, n, n * (sizeof(double) + sizeof(float) + sizeof(int))>>>(z, x, y, n);
}
