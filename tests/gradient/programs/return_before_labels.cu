/*---
wrt = ["x", "a"]
of = ["z"]
function = "driver"
[inputs]
z = { shape = [16], random = 3 }
x = { shape = [16], random_uniform = 1, low = 0.5, high = 1.5 }
a = 0.7
n = 16

[[cases]]
name = "to_the_end"
[[cases]]
name = "jumped"
inputs = { a = 1.7 }
[[cases]]
name = "returned"
inputs = { n = 0 }
---*/
// A return, then declarations, then labels behind which they are used; one of the labels nobody jumps to.
__global__ void relax(double *z, const double *x, double a, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    const double scale = a * a;
    double sum = 0.0, last = x[i];
outer:
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            sum += last * scale + p;
            if (sum > 9.0)
                goto done;
            last *= sum * 0.3;
        }
done:
    z[i] += sum * last * scale;
}
void driver(double *z, const double *x, double a, int n)
{
    if (n <= 0)
        return;
    const int blocks = 1, count = n / 2;
    double host[8], *work;
    const double power = a * a;
    cudaMemcpy(host, x, count * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMalloc(&work, n * sizeof(double));
    cudaMemcpy(work, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    relax<<<blocks, 32>>>(work, x, a, n);
    if (a > 1.0)
        goto release;
    relax<<<blocks, 32>>>(z, work, power, n);
release:
    host[0] *= power;
    cudaMemcpy(work, host, count * sizeof(double), cudaMemcpyHostToDevice);
    relax<<<blocks, 32>>>(z, work, a, n);
    cudaFree(work);
}
