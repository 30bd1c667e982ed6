/*---
function = "relax"
wrt = ["x", "w", "spacing"]
of = ["x", "y", "bins"]
[inputs]
x = { shape = [45], random = 1 }
y = { zeros = [45] }
w = { shape = [9], random = 2 }
bins = { zeros = [7] }
n = 45
[[cases]]
name = "near"
inputs = { spacing = 0.37 }
[[cases]]
name = "far"
inputs = { spacing = -1.3 }
[[cases]]
name = "empty"
inputs = { spacing = 0.5, n = 0 }
---*/
// Numbers that divide several others: one that changes in a loop, one that is set in branches, a parameter, a literal;
// quotients that say how often a loop runs, which way a branch goes, where a sum belongs, where a step is, and what the
// program stores.
__global__ void relax_kernel(double *x, double *y, const double *w, double *bins, double spacing, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = x[i], b = w[i % 9];
    double size = 1.5 + a * a + b * b;
    double re = a / size, im = -b / size;

    double scale = 2.0 + re;
    double sum = 0.0;
    for (int k = 0; k < 5; k++) {
        scale += 0.3 * a / scale + im / scale;
        sum += (re * k + im) / scale + a * b / spacing;
    }

    double width;
    if (re / size > 0.05)
        width = 1.0 + b * b;
    else
        width = 3.0 - a / 7.0;
    sum += a / width - re / width;

    int trips = (int)(4.0 + 3.0 * a / width);
    for (int k = 0; k < trips; k++)
        sum = sum / 3.0 + sin(sum / width);

    double part = sum / spacing;
    part -= floor(sum / spacing);
    x[i] = re / spacing + part;
    y[i] = sum / size + a / spacing;
    int bin = (int)(fabs(7.0 * a / spacing)) % 7;
    atomicAdd(&bins[bin], im / spacing + b / width);
}

void relax(double *x, double *y, const double *w, double *bins, double spacing, int n)
{
    relax_kernel<<<(n + 15) / 16, 16>>>(x, y, w, bins, spacing, n);
}
