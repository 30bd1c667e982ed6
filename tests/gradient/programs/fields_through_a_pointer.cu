/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random_uniform = 5, low = 0.3, high = 1.7 }
n = 37

[[cases]]
name = "twice"
[[cases]]
function = "halves"
[[cases]]
function = "parts"
[[cases]]
function = "parts_in_functions"
---*/
// Fields of structs in device memory, through pointers to the struct and to its arrays: stored, read and stored again.
struct Node {
    int left;
    double key, value;
};

__global__ void build(struct Node *t, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        struct Node *q = &t[i];
        q->left = i % 3;
        q->key = x[i];
        q->value = x[(i * 3) % n] * x[i];
        q->key = q->key * 0.5;
        q->value = q->value + 1;
    }
}

__global__ void use(double *y, const struct Node *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = t[i].key * t[(i + t[i].left) % n].value;
}

void run(double *y, const double *x, int n)
{
    struct Node *t;
    cudaMalloc((void **)&t, n * sizeof(struct Node));
    build<<<3, 16>>>(t, x, n);
    use<<<3, 16>>>(y, t, n);
    cudaFree(t);
}

// The pointer leads to one half of the cells in a thread, then to the other.
__global__ void both_halves(double *t, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double *q = t + i;
        *q = x[i];
        *q = *q * x[(i + 1) % n];
        q += n;
        *q = q[-n] * x[0];
        *q = sin(*q);
    }
}

__global__ void product(double *y, const double *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = t[i] * t[2 * n - 1 - i];
}

void halves(double *y, const double *x, int n)
{
    double *t;
    cudaMalloc((void **)&t, 2 * n * sizeof(double));
    both_halves<<<3, 16>>>(t, x, n);
    product<<<3, 16>>>(y, t, n);
    cudaFree(t);
}

struct Matrix {
    double m[2][2];
    double a[2], b;
};

__device__ void squared(double *q)
{
    q[1] = q[0] * q[0];
}

__device__ void row(double *r, const double *q)
{
    r[1] = r[0] * q[0];
}

__device__ double norm2(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

__global__ void fill(struct Matrix *z, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i].a[0] = x[i];
        double *q = z[i].a;
        q[1] = q[0] * x[0];
        z[i].m[0][0] = z[i].a[1] * x[i];
        double *r = z[i].m[1];
        r[0] = z[i].m[0][0] + q[1];
        r[1] = r[0] * r[0];
        z[i].b = r[1] * q[0];
    }
}

__global__ void fill_in_functions(struct Matrix *z, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i].a[0] = x[i];
        squared(z[i].a);
        z[i].m[0][0] = x[i];
        z[i].m[1][0] = x[0];
        row(z[i].m[1], z[i].m[0]);
        z[i].b = norm2(z[i].a) * z[i].m[1][1];
    }
}

__global__ void read(double *y, const struct Matrix *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = z[i].b * z[i].a[1] + z[i].m[1][1] * z[n - 1 - i].m[0][0] + norm2(z[i].a);
}

void parts(double *y, const double *x, int n)
{
    struct Matrix *z;
    cudaMalloc((void **)&z, n * sizeof(struct Matrix));
    fill<<<3, 16>>>(z, x, n);
    read<<<3, 16>>>(y, z, n);
    cudaFree(z);
}

void parts_in_functions(double *y, const double *x, int n)
{
    struct Matrix *z;
    cudaMalloc((void **)&z, n * sizeof(struct Matrix));
    fill_in_functions<<<3, 16>>>(z, x, n);
    read<<<3, 16>>>(y, z, n);
    cudaFree(z);
}
