/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 1 }
n = 21
steps = 3
stop = 100.0

[[cases]]
name = "to_the_end"
[[cases]]
name = "stopped"
inputs = { steps = 9, stop = 1.5 }
[[cases]]
name = "refused"
inputs = { steps = -1 }
[[cases]]
name = "no_steps"
inputs = { steps = 0 }
---*/
// `goto` to labels at the end of a function: cleaning up after errors, leaving two loops at once, in a kernel.
#include <stdlib.h>

#define TRY(call)                     \
    do {                              \
        if ((call) != cudaSuccess) {  \
            status = -1;              \
            goto cleanup;             \
        }                             \
    } while (0)

__global__ void step(double *v, const double *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    if (i >= n)
        goto end;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            sum += u[(i + a * b) % n] * u[i];
            if (sum > 2.0)
                goto found;
        }
    sum *= u[0];
found:
    v[i] = sum * u[i];
end:;
}

static int run(double *y, const double *x, int n, int steps, double stop)
{
    int status = 0;
    double *u = NULL, *v = NULL, *swapped;
    double *host = (double *)malloc(n * sizeof(double));
    if (host == NULL)
        return -2;
    if (steps < 0)
        goto refused;
    TRY(cudaMalloc((void **)&u, n * sizeof(double)));
    TRY(cudaMalloc((void **)&v, n * sizeof(double)));
    TRY(cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice));
    double norm;
    for (int k = 0; k < steps; k++) {
        step<<<(n + 7) / 8, 8>>>(v, u, n);
        TRY(cudaGetLastError());
        TRY(cudaMemcpy(host, v, n * sizeof(double), cudaMemcpyDeviceToHost));
        norm = 0.0;
        for (int i = 0; i < n; i++) {
            norm += host[i] * host[i];
            if (norm > stop)
                goto finish;
        }
        switch (k % 2) {
        case 1:
            TRY(cudaDeviceSynchronize());
            break;
        default:
            TRY(cudaMemcpy(v, u, sizeof(double), cudaMemcpyDeviceToDevice));
        }
        swapped = u, u = v, v = swapped;
    }
    norm = 1.0;
finish:
    TRY(cudaMemcpy(y, u, n * sizeof(double), cudaMemcpyDeviceToHost));
    y[1] += norm * x[3];
cleanup:
    cudaFree(u);
    cudaFree(v);
    free(host);
    return status;
refused:
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
    free(host);
    return 1;
}

void driver(double *y, const double *x, int n, int steps, double stop)
{
    if (run(y, x, n, steps, stop) == 1)
        y[0] *= x[5];
}
