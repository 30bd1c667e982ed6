/*---
function = "even"
wrt = ["x", "k"]
of = ["y"]
[launch]
grid = 2
block = 16
[inputs]
y = { shape = [27], random = 1 }
x = { shape = [27], random = 2 }
k = { shape = [50], random_uniform = 3, low = 0.1, high = 0.4 }
n = 27

[[cases]]
name = "even"

[[cases]]
name = "prime"
function = "prime"

[[cases]]
name = "downwards_in_threes"
function = "downwards_in_threes"

[[cases]]
name = "several_states"
function = "several_states"

[[cases]]
name = "one_after_another"
function = "one_after_another"

[[cases]]
name = "inside_another"
function = "inside_another"

[[cases]]
name = "leaves_early"
function = "leaves_early"

[[cases]]
name = "unsigned_index"
function = "unsigned_index"

[[cases]]
name = "functions_kept"
function = "functions_kept"

[[cases]]
name = "index_kept"
function = "index_kept"
---*/
// Loops long enough to be reversed in segments.

__global__ void even(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int step = 0; step < 48; step++)
            q += k[step] * sin(q + step);
        y[i] = q;
    }
}

__global__ void prime(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int step = 0; step < 37; step++)
            q += k[step] * sin(q);
        y[i] = q;
    }
}

__global__ void downwards_in_threes(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int step = 49; step >= 2; step -= 3)
            q = 0.7 * cos(q) + 0.3 * k[step] * q * q;
        for (int step = 3; step <= 3 + 2 * 20 - 1; step += 2)
            q += k[step] * cos(q) * step * 0.03;
        y[i] = q;
    }
}

__global__ void several_states(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q[3] = {x[i], 0.5, -x[i]};
        double p = 0.1;
        int turns = 0;
        for (int step = 0; step < 40; step++) {
            p -= k[step] * sin(q[turns]);
            if (p * q[(turns + 1) % 3] > 0.2) {
                turns = (turns + 1) % 3;
                p *= 0.5 * q[turns];
            }
            q[turns] += k[0] * p;
        }
        y[i] = q[0] * q[1] + q[2] * p;
    }
}

__global__ void one_after_another(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int step = 0; step < 32; step++)
            q += k[step] * sin(q);
        double at_half = q;
        for (int step = 0; step < 50; step++)
            q += k[step] * cos(q) * at_half;
        y[i] = q * at_half;
    }
}

__global__ void inside_another(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int round = 0; round < n % 5 + 1; round++) {
            double p = q;
            for (int step = 0; step < 24; step++)
                p += k[step + round] * sin(p);
            q = q * p + 0.1 * p;
            if (q > 1.5)
                q = 1.0 / q;
        }
        y[i] = q;
    }
}

__global__ void leaves_early(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (int step = 0; step < 36; step++) {
            q += k[step] * sin(q) + 0.02;
            if (q > 1.2)
                break;
            if (q < -0.3)
                continue;
            q *= 1.0 + 0.1 * q;
        }
        y[i] = q;
    }
}

__global__ void unsigned_index(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        for (unsigned step = 4; step < 44; step++)
            q += k[step] * sin(q) / step;
        for (size_t step = 0; step < 30; step++)
            q += k[step] * sin(q) * step * 0.1;
        y[i] = q;
    }
}

__global__ void index_kept(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i];
        int step, last = 0;
        for (step = 0; step < 30; step++) {
            q += k[step] * sin(q);
            last = step;
        }
        y[i] = q * step + q * q * last;
    }
}

// What the reverse sweep needs of the angle is its cosine; of the second state, its exponential, which is there already.
__global__ void functions_kept(double *y, const double *x, const double *k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = x[i], r = 0.3 * x[i];
        for (int step = 0; step < 25; step++) {
            double s = sin(q);
            q += k[step] * s;
        }
        for (int step = 0; step < 49; step++) {
            double e = exp(-r);
            r += 0.2 * e - k[0];
        }
        for (int step = 0; step < 16; step++)
            q -= 0.1 * cos(q);
        y[i] = q * r;
    }
}
