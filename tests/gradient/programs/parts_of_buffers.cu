/*---
function = "blend"
wrt = ["u", "v"]
of = ["u", "v"]
[inputs]
u = { shape = [50], random = 1 }
v = { shape = [50], random = 2 }
n = 50
pitch = 7

[[cases]]
name = "rows_upwards"

[[cases]]
name = "rows_downwards"
inputs = { pitch = -6 }
---*/
// Launches and copies that overwrite parts of buffers at places that move: the parts overlap, and some are empty.
__global__ void mix(double *y, const double *x, int from, int to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + from;
    if (i < to)
        y[i] = y[i] * x[i] + x[i] * x[i];
}

__global__ void put(double *y, int at, double a)
{
    y[at] = a * y[at + 1] * y[at];
}

__global__ void rows(double *y, int start, int pitch, int width)
{
    int i = threadIdx.x;
    if (i < width)
        for (int k = 0; k < 3; k++)
            y[start + k * pitch + i] *= y[start + k * pitch + i];
}

void blend(double *u, double *v, int n, int pitch)
{
    for (int t = 0; t < 4; t++) {
        mix<<<2, 16>>>(u, v, 3 * t, 3 * t + 20);
        mix<<<2, 16>>>(v + 5, u + 2, 9 * t, 25 - t);
        cudaMemcpy(u + t, v + 30, (5 + t) * sizeof(double), cudaMemcpyDeviceToDevice);
        put<<<1, 1>>>(u, n - 3 - t, 0.3);
        put<<<1, 1>>>(v, t, 0.7);
        rows<<<1, 32>>>(u, 20 + t, pitch, 5);
        cudaMemset(v + 40 + t, 0, sizeof(double));
    }
}
