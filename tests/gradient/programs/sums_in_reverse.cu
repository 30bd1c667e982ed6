/*---
function = "two_sums"
wrt = ["x", "c", "d"]
of = ["y"]
[launch]
grid = 3
block = 16
[inputs]
x = { shape = [53], random = 1 }
c = { shape = [53], random = 2 }
d = { shape = [53], random = 3 }
y = { shape = [53], random = 4 }
n = 41
m = 12

[[cases]]
name = "two_sums"

[[cases]]
name = "no_terms"
inputs.m = 0

[[cases]]
name = "branches"
function = "branches"

[[cases]]
name = "channels"
function = "channels"

[[cases]]
name = "backwards_by_two"
function = "backwards_by_two"

[[cases]]
name = "operands_change"
function = "operands_change"

[[cases]]
name = "arrays_change"
function = "arrays_change"

[[cases]]
name = "decides"
function = "decides"

[[cases]]
name = "over_rows"
function = "over_rows"

[[cases]]
name = "in_place"
function = "in_place"
of = ["x", "y"]

[[cases]]
name = "in_shared"
function = "in_shared"

[[cases]]
name = "own_lengths"
function = "own_lengths"

[[cases]]
name = "overwritten_in_branches"
function = "overwritten_in_branches"

[[cases]]
name = "single"
function = "single"
---*/
// Sums that adjoints need, of terms that the reversed loop works out as well.

__global__ void two_sums(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0.25, t = d[i];
    for (int k = 0; k < m; k++) {
        double distance = x[i] - x[k], part = 0, sign = 1;
        for (int j = 0; j < 5; j++) {
            part += sign * sin(distance * (j + 1));
            sign = -sign;
        }
        s += part / (1 + distance * distance);
        t -= cos(distance) * d[k];
    }
    y[i] += s * c[i] - t * d[i];
}

__device__ double distant(double z) { return 1 / (1 + z * z); }

__device__ double near(double z)
{
    double sum = 0, power = 1;
    for (int j = 0; j < 6; j++) {
        sum = sum + power * cos(z * j);
        power *= -0.5;
    }
    return sum;
}

__global__ void branches(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0;
    if (i < n) {
        for (int k = 0; k < m; k++) {
            double z = x[i] * x[k + i], v;
            if (z * z > 0.3)
                v = distant(z);
            else
                v = near(z) * d[k];
            s += v * c[k];
        }
        y[i] = 2 * s * d[i] + c[i];
    }
}

__global__ void channels(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sums[3] = {0.5, 0, 0};
    for (int r = 0; r < 4; r++) {
        double a = 0, b = 0, parts[3];
        for (int k = 0; k < m; k++) {
            double z = exp(-x[k] * x[i]) * d[r];
            a += z * sin(z);
            b -= z;
        }
        parts[0] = a;
        parts[1] = b;
        parts[2] = a - b;
        for (int q = 0; q < 3; q++)
            sums[q] += parts[q] * c[r + q];
    }
    y[i] = sums[0] + 2 * sums[1] - sums[2];
}

__global__ void backwards_by_two(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0;
        for (int k = m - 1; k >= 0; k -= 2)
            s += tanh(x[k] * d[i]) * k;
        y[i] *= c[i] * s;
    }
}

__global__ void operands_change(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0, t = 0, last = d[i];
        for (int k = 0; k < m; k++) {
            double q = sin(x[k]) + 0.1 * last;
            s += q * d[k];
            q = q * q * d[i];
            t += q;
            q = 1 / (1 + q * q);
            last = 0.5 * last + q * x[i];
        }
        y[i] = s * c[i] + t * c[i + 1] + last;
    }
}

__global__ void arrays_change(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a[4] = {d[i], d[i + 1], d[i + 2], d[i + 3]}, s = 0, t = 0;
        for (int k = 0; k < m; k++)
            s += cos(x[k] * a[k % 4]) * a[(k + 1) % 4];
        for (int j = 0; j < 4; j++)
            a[j] = a[j] * a[j] + s * c[j];
        for (int j = 0; j < 4; j++)
            t += a[j] * sin(x[i] * a[j]);
        y[i] = t * c[i] + a[1];
    }
}

__global__ void decides(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0;
        for (int k = 0; k < m; k++)
            s += sin(x[k] * d[i]) * d[k];
        if (s > 0.1)
            y[i] = s * c[i];
        else
            y[i] = -2 * s * c[i + 1];
    }
}

__global__ void over_rows(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double all = 0, s = 0;
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < m; k++)
                s += sqrt(1 + x[k] * x[k] + d[r] * d[r]) * d[i];
            all += s * c[r];
        }
        y[i] = all * c[i] + s;
    }
}

__global__ void in_place(double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0, own = x[i];
        for (int k = 0; k < m; k++)
            s += sin(own * d[k]) * cos(own * k);
        x[i] = s * c[i];
        y[i] += s * c[i] * d[i];
    }
}

__global__ void in_shared(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    __shared__ double tile[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0;
    for (int first = 0; first < m; first += 16) {
        __syncthreads();
        tile[threadIdx.x] = first + threadIdx.x < m ? x[first + threadIdx.x] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            s += sin(tile[k] * d[i]) * d[k];
    }
    if (i < n)
        y[i] = s * c[i];
}

__global__ void own_lengths(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0;
        int few = i % 5;
        for (int k = few; k < m; k += 3) {
            double z = x[k] / (1.5 + d[i] * d[i]);
            if (k % 2)
                z = z * z;
            s += exp(z) * d[k];
        }
        y[i] = s * c[i] * c[few];
    }
}

__global__ void single(const float *x, const float *c, const float *d, float *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < m; k++)
            s += sinf(x[k] * d[i]) * expf(0.1f * x[k]);
        y[i] = s * c[i];
    }
}

__global__ void overwritten_in_branches(const double *x, const double *c, const double *d, double *y, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0;
        for (int k = 0; k < m; k++) {
            double z = x[k] * x[i], v = 0.5;
            if (z > 0.1) {
                double u = 0;
                v = sin(z);
                for (int j = 0; j < 5; j++)
                    u += cos(z * j);
                v = v * v * z + 0.3 * u;
            } else {
                v = d[k] * v;
            }
            s += v * c[k];
        }
        y[i] = 2 * s;
    }
}
