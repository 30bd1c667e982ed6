/*---
function = "run"
wrt = ["x", "y"]
of = ["x", "y"]
[inputs]
x = { shape = [8], random_uniform = 1, low = -1.0, high = 1.0 }
y = { shape = [8], random_uniform = 2, low = -1.0, high = 1.0 }
blocks = 2
---*/
// A pointer to a local array leads to the array of its own iteration also in the reverse sweep of a loop with barriers,
// which is taped: to numbers that are active, and to such that are not.
__global__ void active(double *x)
{
    __shared__ double tile[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    double v = 0.3;
    for (int j = 0; j < 3; j++) {
        tile[t] = x[i] * v;
        __syncthreads();
        double a[2] = {tile[(t + 1) % 4], v};
        double *p = &a[(i + j) % 2];
        *p += sin(a[1]) * x[i];
        v += *p * a[(j + 1) % 2] * a[0];
        if (v > 0.2) {
            double b[2];
            b[0] = v, b[1] = x[i];
            double *q = b + j % 2;
            for (int k = 0; k < 2; k++) {
                double c[2] = {*q, v};
                double *r = &c[(k + t) % 2];
                *r *= 0.7;
                v -= *r * c[0];
            }
            q[0] *= v;
            v += b[0] * b[1];
        }
        __syncthreads();
        x[i] = v;
    }
}

__global__ void inactive(double *y)
{
    __shared__ double tile[4];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    double v = 0.3;
    for (int j = 0; j < 3; j++) {
        tile[t] = y[i] * v;
        __syncthreads();
        double weights[2] = {0.5 * j, 1.5 + j};
        int shifts[2] = {j, t};
        const double *p = &weights[(i + j) % 2];
        const int *shift = &shifts[(i + j + 1) % 2];
        v += *p * tile[(t + *shift) % 4] * v;
        __syncthreads();
        y[i] = v;
    }
}

void run(double *x, double *y, int blocks)
{
    active<<<blocks, 4>>>(x);
    inactive<<<blocks, 4>>>(y);
}
