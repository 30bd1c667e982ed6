/*---
function = "counted_meanwhile"
wrt = ["w", "c"]
of = ["y"]
[launch]
grid = 3
block = 16
[inputs]
x = { shape = [60], random_uniform = 1, low = -1.0, high = 1.0 }
w = { shape = [8], random = 2 }
c = 0.7
y = { shape = [53], random = 4 }
n = 41
m = 12

[[cases]]
name = "counted_meanwhile"

[[cases]]
name = "no_terms"
inputs.m = 0

[[cases]]
name = "chosen_meanwhile"
function = "chosen_meanwhile"

[[cases]]
name = "counted_in_nests"
function = "counted_in_nests"

[[cases]]
name = "results_in_arrays"
function = "results_in_arrays"
---*/
// Statements that wait for a sum, formed in the reversed loop, and others between them, which need not.  Headers that
// depend on what waits have to wait, too; and a function that leaves its results in an array changes the array.

__global__ void counted_meanwhile(const double *x, const double *w, double *y, double c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0, t = 0, r = 0, product = 1;
    for (int k = 0; k < m; k++) {
        double z = x[i] - x[k] + 3;
        s += sin(z) / z;
        t += z * w[k % 8] * w[k % 8];
    }
    int e = 0;
    while (e < 5) {
        r += s * x[e];
        e += x[e] > 0 ? 2 : 1;
    }
    for (int j = 0; j < e; j++) {
        product = product * x[i + j];
        r += s * x[j];
    }
    y[i] = (r + product) * c + t;
}

__global__ void chosen_meanwhile(const double *x, const double *w, double *y, double c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0, t = 0, r = 0, factor = 1;
    for (int k = 0; k < m; k++) {
        double z = x[i] - x[k] + 3;
        s += sin(z) / z;
        t += z * w[k % 8] * w[k % 8];
    }
    int e = 0;
    while (e < 5) {
        r += s * x[e];
        e += x[e] > 0 ? 2 : 1;
    }
    if (e > 4) {
        factor = x[i + 7];
        r += s * factor;
    }
    y[i] = (r + factor) * c + t;
}

__global__ void counted_in_nests(const double *x, const double *w, double *y, double c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0, t = 0, r = 0, sum = 1;
    for (int k = 0; k < m; k++) {
        double z = x[i] - x[k] + 3;
        s += sin(z) / z;
        t += z * w[k % 8] * w[k % 8];
    }
    int e = 0;
    do {
        r += s * x[e];
        e += x[e] > 0 ? 2 : 1;
    } while (e < 5);
    for (int j = e; j > 2; j -= 2) {
        for (int l = j; l < e; l++) {
            sum = sum + x[i + l];
            r += s * x[j];
        }
    }
    y[i] = (r + sum + e) * c + t;
}

__global__ void results_in_arrays(const double *x, const double *w, double *y, double c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double s = 0, t = 0, r = 0, part[2];
    for (int k = 0; k < m; k++) {
        double z = x[i] - x[k] + 3;
        s += sin(z) / z;
        t += z * w[k % 8] * w[k % 8];
    }
    sincos(x[i], part, part + 1);
    r += s * part[0];
    sincos(x[2], part + 1, part);
    r += part[0] + part[1];
    y[i] = r * c + t;
}
