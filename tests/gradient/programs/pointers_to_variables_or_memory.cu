/*---
function = "limited"
wrt = ["a", "b"]
of = ["y"]
[inputs]
y = { zeros = [40] }
a = { shape = [40], random = 1 }
b = { shape = [40], random = 2 }
n = 40
---*/
// Pointers of the host that lead to a constant in a variable, to an active variable, or to memory: chosen by values,
// kept in a variable or followed at once, behind a function that returns one.
__global__ void squares(double *y, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] * a[i];
}

const double *bounded(const double *v, const double *low, const double *high)
{
    return *v < *low ? low : *high < *v ? high : v;
}

void limited(double *y, const double *a, const double *b, int n)
{
    double *d_y, *d_a, low = -0.25, high = 0.75;
    double *squared = (double *)malloc(n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&d_a, n * sizeof(double));
    cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
    squares<<<(n + 15) / 16, 16>>>(d_y, d_a, n);
    cudaMemcpy(squared, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        double own = a[i] * b[i];
        const double *p = a[i] < low ? &low : high < a[i] ? &high : &squared[i];
        const double *q = i % 3 == 0 ? &own : i % 3 == 1 ? &low : &b[i];
        y[i] = *p * *p + 2.0 * (b[i] < 0.0 ? &low : &b[i])[0] + *q * *q + 3.0 * *bounded(&a[i], &low, &high);
    }
    const double *r = n > 100 ? &high : &a[3];
    y[0] += 3.0 * *r;
    y[1] += (n > 100 ? &high : n > 50 ? &low : &b[2])[0];
    cudaFree(d_y);
    cudaFree(d_a);
    free(squared);
}
