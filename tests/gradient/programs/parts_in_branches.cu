/*---
function = "go"
wrt = ["u"]
[inputs]
u = { shape = [32], random_uniform = 1, low = 0.5, high = 1.1 }
n = 32
---*/
// Parts are overwritten in branches that the data choose, before `continue` and `break`.
__global__ void lo(double *u, int m)
{
    int i = threadIdx.x;
    if (i < m)
        u[i] = u[i] * u[m + i];
}

__global__ void hi(double *u, int m, int n)
{
    int i = m + threadIdx.x;
    if (i < n)
        u[i] = u[i] * u[i - m] + 0.1;
}

double go(const double *u, int n)
{
    double *d, h[8] = {0, 0, 0, 0, 0, 0, 0, 0}, s = 0;
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 1; t < 9; t++) {
        cudaMemcpy(h, d + t, (t % 4 + 1) * sizeof(double), cudaMemcpyDeviceToHost);
        if (h[0] > 0.6) {
            lo<<<1, 32>>>(d, n / 2 - t);
            s += h[t % 4] * h[0];
        } else {
            hi<<<1, 32>>>(d, n / 2 + t, n);
            if (t > 6)
                break;
            s -= h[0] * h[0];
            continue;
        }
        cudaMemcpy(d + 2 * t, h, 2 * sizeof(double), cudaMemcpyHostToDevice);
        h[t % 8] = s * 0.5;
        s += h[(t + 3) % 8] * 0.1;
    }
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    for (int i = 0; i < 8; i++)
        s += h[i] * h[i];
    return s;
}
