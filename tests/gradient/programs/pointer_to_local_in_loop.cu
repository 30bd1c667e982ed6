/*---
function = "relax"
wrt = ["w", "r"]
of = ["w"]
[launch]
grid = 2
block = 8
[inputs]
w = { shape = [13], random = 1 }
r = { shape = [13], random = 2 }
n = 13
steps = 3

[[cases]]
name = "three"

[[cases]]
name = "none"
inputs = { steps = 0 }

[[cases]]
name = "never"
function = "never"
---*/
// A pointer to a variable that each iteration has anew.

__global__ void relax(double *w, const double *r, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double q = w[i];
        for (int j = 0; j < steps; j++) {
            double v = cos(r[i] * q);
            double *p = &v;
            *p += 0.3 * q;
            q = sin(v) * q;
        }
        w[i] = q;
    }
}

__global__ void never(double *w, const double *r, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < 0; j++) {
            w[i] = sin(w[i]);
            double v = cos(r[i]);
            double *p = &v;
        }
        w[i] += sin(r[i]);
    }
}
