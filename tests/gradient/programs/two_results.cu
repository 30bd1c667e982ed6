/*---
function = "turn"
wrt = ["x", "phi"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random = 1 }
phi = { shape = [20], random = 2 }
n = 20
---*/
// Functions with two results: sincos and modf, also into elements of an array and over their own argument.
__global__ void rotate(double *y, const double *x, const double *phi, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double t[2], whole;
        sincos(phi[i], &t[0], &t[1]);
        double u = t[0] * x[2 * i] - t[1] * x[2 * i + 1];
        double fraction = modf(3.0 * u, &whole);
        double s = u, c;
        sincos(s * fraction, &s, &c);
        y[2 * i] = u * s + whole * u;
        y[2 * i + 1] = c * fraction;
    }
}

void turn(double *y, const double *x, const double *phi, int n)
{
    rotate<<<(n + 7) / 8, 8>>>(y, x, phi, n);
}
