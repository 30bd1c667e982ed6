/*---
function = "march"
wrt = ["u"]
of = ["u"]
graph = true
error = "UnsupportedError"
---*/
__global__ void square(int n, double *u, int *large)
{
    int i = threadIdx.x;
    if (i < n) {
        u[i] *= u[i];
        if (u[i] > 100) *large = 1;
    }
}

static int is_large(const int *d_large)
{
    int h[1];
    cudaMemcpy(h, d_large, sizeof(int), cudaMemcpyDeviceToHost);
    return h[0];
}

void march(int n, int steps, double *u)
{
    int *d_large;
    cudaMalloc((void **)&d_large, sizeof(int));
    cudaMemset(d_large, 0, sizeof(int));
    for (int t = 0; t < steps; t++) {  // expected-error: read back from the device (line 20)
        square<<<1, 32>>>(n, u, d_large);
        int stop = is_large(d_large);
        if (stop) break;
    }
    cudaFree(d_large);
}
