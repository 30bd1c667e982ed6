/*---
function = "arrays"
wrt = ["x", "w"]
of = ["out"]
[inputs]
x = { shape = [64], random = 1 }
w = { shape = [64], random = 2 }
out = { shape = [64], random = 3 }
n = 43

[[cases]]
name = "arrays"

[[cases]]
name = "turns"
function = "turns"

[[cases]]
name = "structs"
function = "structs"

[[cases]]
name = "numbers_beside"
function = "scaled"

[[cases]]
name = "rows"
function = "rows"
---*/
// Pointers in shared memory, which one thread sets for all: in an array, in a variable that leads elsewhere later, in a
// struct beside numbers, and one for each row of threads.
typedef struct {
    double *x;
    double *w;
    double scale;
    int n;
} Fields;

__global__ void chosen(double *out, double *x, double *w, int n)
{
    __shared__ double *of[2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        of[blockIdx.x % 2] = x;
        of[1 - blockIdx.x % 2] = w;
    }
    __syncthreads();
    if (i < n)
        out[i] = of[0][i] * of[0][i] * of[1][n - 1 - i] + of[i % 2][i];
}

void arrays(double *out, double *x, double *w, int n)
{
    chosen<<<(n + 15) / 16, 16>>>(out, x, w, n);
}

__global__ void one_then_the_other(double *out, double *x, double *w, int n)
{
    __shared__ double *now;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        now = x;
    __syncthreads();
    if (i < n)
        out[i] = sin(now[i]) * w[i];
    for (int k = 1; k < 4; k++) {
        __syncthreads();
        if (threadIdx.x == 0)
            now = now == x ? w + k : x;
        __syncthreads();
        if (i < n)
            out[i] += now[i] * now[i] * k + x[i] * out[i];
    }
}

void turns(double *out, double *x, double *w, int n)
{
    one_then_the_other<<<(n + 15) / 16, 16>>>(out, x, w, n);
}

__global__ void product(double *out, Fields given)
{
    __shared__ Fields f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        f = given;
    __syncthreads();
    if (i < f.n)
        out[i] = f.x[i] * exp(f.scale * f.w[f.n - 1 - i]);
}

void structs(double *out, double *x, double *w, int n)
{
    Fields f;
    f.x = x;
    f.w = w + 1;
    f.scale = 0.7;
    f.n = n;
    product<<<(n + 15) / 16, 16>>>(out, f);
}

__global__ void scaled_product(double *out, Fields given)
{
    __shared__ Fields f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        f.x = given.x;
        f.w = given.w;
        f.n = given.n;
        f.scale = given.x[blockIdx.x] * given.w[2];
    }
    __syncthreads();
    if (i < f.n)
        out[i] = f.x[i] * sin(f.scale * f.w[f.n - 1 - i]);
    __syncthreads();
    if (threadIdx.x == 1) {
        f.scale *= f.scale;
        f.w = given.x;
    }
    __syncthreads();
    if (i < f.n)
        out[i] *= f.scale * f.w[i];
}

void scaled(double *out, double *x, double *w, int n)
{
    Fields f;
    f.x = x;
    f.w = w;
    f.scale = 0.0;
    f.n = n;
    scaled_product<<<(n + 15) / 16, 16>>>(out, f);
}

__global__ void by_rows(double *out, double *x, double *w, int n)
{
    __shared__ double *row[4];
    int j = threadIdx.y, i = threadIdx.x;
    if (i == 0)
        row[j] = j % 3 == 0 ? x + j * 8 : w + j * 8;
    __syncthreads();
    if (j * 8 + i < n)
        out[j * 8 + i] = row[j][i] * row[(j + 1) % 4][7 - i];
}

void rows(double *out, double *x, double *w, int n)
{
    by_rows<<<1, dim3(8, 4)>>>(out, x, w, n);
}
