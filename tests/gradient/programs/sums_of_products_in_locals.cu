/*---
function = "sums"
wrt = ["x", "u"]
of = ["y"]
[launch]
grid = 3
block = 4
[inputs]
y = { shape = [10], random = 1 }
x = { shape = [10], random = 2 }
u = { shape = [10], random = 3 }
n = 10
---*/
// Sums in local variables: of squares with a number in front, of differences, and of products with the sum itself, whose
// tangent must be taken before the sum changes.
__global__ void sums(double *y, const double *x, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0.3, d = 0.1;
        for (int j = 0; j < 4; ++j) {
            double a = x[(i + j) % n], b = u[(i * j) % n];
            s += 0.5 * a * a + 0.5 * b * b - 0.5 * s * a;
            d -= a * b - s * b * b + d * u[i];
            s -= s * b + d * d * a;
            d += 3.0 * a - 3.0 * b;
        }
        y[i] += s * d - 0.25 * rsqrt(1.5 + s * s + d * d);
    }
}
