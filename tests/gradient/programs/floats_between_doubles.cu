/*---
function = "run"
wrt = ["x", "s"]
of = ["y"]
[inputs]
x = { shape = [40], random = 1 }
y = { zeros = [40] }
s = 1.2
n = 40

[[cases]]

[[cases]]
name = "one"
inputs = { n = 1 }

[[cases]]
name = "none"
inputs = { n = 0 }
---*/
// Memory in float between arguments in double: differences of the program have the rounding of a float.
__global__ void lowered(float *f, const double *x, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = (float)x[i];
        f[i] = v * (float)s + sinf(v) * 2;
    }
}

__global__ void raised(double *y, const float *f, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (unsigned)n) {
        double a = f[i], b = f[n - 1 - i];
        y[i] = a * b + (double)(float)(a - b) / 3.f;
    }
}

void run(const double *x, double *y, double s, int n)
{
    float *f;
    int blocks = (n + 15) / 16;
    if (blocks == 0)
        return;
    cudaMalloc(&f, sizeof(float) * n);
    lowered<<<blocks, 16>>>(f, x, s, n);
    raised<<<blocks, 16>>>(y, f, n);
    cudaFree(f);
}
