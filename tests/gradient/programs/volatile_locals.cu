/*---
function = "run"
wrt = ["x", "w"]
of = ["x", "sum"]
[inputs]
x = { shape = [9], random = 1 }
sum = { zeros = [1] }
w = 0.6
---*/
// Local variables that are volatile, as programs write them against fused multiplication and for exact sums: nothing but their
// thread changes them.
__device__ double two_sum(double a, double b, double *error)
{
    volatile double s = a + b;
    volatile double t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}

__global__ void compensated(double *x, double w, int n)
{
    int i = threadIdx.x;
    volatile double product = x[i] * w, powers[3];
    powers[0] = product;
    for (int k = 1; k < 3; k++)
        powers[k] = powers[k - 1] * x[i];
    product += powers[2] * powers[1];
    volatile int turns = 2;
    while (turns-- > 0)
        product *= w + powers[0];
    double error;
    const double sum = two_sum(product, w, &error);
    x[i] = sum + error;
}

void run(double *x, double *sum, double w)
{
    double *d;
    cudaMalloc(&d, 9 * sizeof(double));
    cudaMemcpy(d, x, 9 * sizeof(double), cudaMemcpyHostToDevice);
    compensated<<<1, 9>>>(d, w, 9);
    cudaMemcpy(x, d, 9 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
    volatile double checksum = 0.0;
    for (int i = 0; i < 9; i++)
        checksum += x[i] * x[i];
    sum[0] = checksum;
}
