/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [13], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [13] }
m = 49
n = 13
[[cases]]
[[cases]]
name = "powers"
function = "powers"
---*/
// Quotients that are whole numbers, where the last bit would decide: at the end of a domain, on a cut, at a jump.  The
// product of 98 with the reciprocal of 49 is less than 2.
__global__ void run_kernel(double *y, const double *x, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double q = m, w = x[i];
    double over = 98.0 / q - 2.0;
    double sum = w / q + sin(w) / q;
    sum += pow(over, 1.5) * w + sqrt(over) * w + w * atan2(over, -1.0) + copysign(w * w, over);
    sum += fmod(98.0 / q, 2.0) * w + w * log1p(over) + acos(49.0 / q) * w * w;
    y[i] = sum * sum;
}

void run(double *y, const double *x, int m, int n)
{
    run_kernel<<<(n + 7) / 8, 8>>>(y, x, m, n);
}

__global__ void powers_kernel(double *y, const double *x, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double q = m, w = x[i];
    y[i] = pow(-w, 98.0 / q) / q + pow(-w / q, 3.0) + exp(w / q) / q;
}

void powers(double *y, const double *x, int m, int n)
{
    powers_kernel<<<(n + 7) / 8, 8>>>(y, x, m, n);
}
