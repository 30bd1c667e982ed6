/*---
function = "norm"
wrt = ["x"]
reference = { x = "x / np.sqrt(np.sum(x**2))" }
[inputs]
x = { shape = [37], random = 1 }
n = 37
---*/
// A result of one number is copied to a local variable through its address.
__global__ void sum_of_squares(double *out, const double *x, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * x[i];
    out[0] = s;
}

double norm(const double *x, int n)
{
    double *d_x, *d_sum;
    double sum = 0.0;
    cudaMalloc((void **)&d_x, n * sizeof(double));
    cudaMalloc((void **)&d_sum, sizeof(double));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    sum_of_squares<<<1, 1>>>(d_sum, d_x, n);
    cudaMemcpy(&sum, d_sum, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_sum);
    return sqrt(sum);
}
