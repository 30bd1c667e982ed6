/*---
function = "driver"
wrt = ["x", "c"]
of = ["y"]
devices = 2
[inputs]
y = { zeros = [2, 11] }
x = { shape = [2, 11], random = 1 }
c = { scale = 0.6, shift = -0.3 }
[[cases]]
name = "several_steps"
inputs = { steps = 5 }
[[cases]]
name = "no_step"
inputs = { steps = 0 }
---*/
// Kernels of two devices that read and write each other's memory, given to and taken away again in a loop; a struct by
// value; managed memory of both; memory allocated and freed in each step on the one or the other.
#define N 11

struct Law {
    double scale, shift;
};

__global__ void mix(double *own, const double *other, double *shared, struct Law c)
{
    int i = threadIdx.x;
    own[i] = c.scale * own[i] * other[N - 1 - i] + c.shift;
    shared[i] = shared[i] * own[i];
}

__global__ void add_to(double *other, const double *own)
{
    other[threadIdx.x] += sin(own[threadIdx.x]);
}

void driver(double *y, const double *x, struct Law c, int steps)
{
    double *a[2], *shared;
    int can = 0, device;
    cudaDeviceCanAccessPeer(&can, 0, 1);
    if (!can)
        return;
    cudaMallocManaged(&shared, N * sizeof(double));
    for (int i = 0; i < N; i++)
        shared[i] = 1.0;
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&a[d], N * sizeof(double));
        cudaMemcpy(a[d], x + d * N, N * sizeof(double), cudaMemcpyHostToDevice);
    }
    for (int t = 0; t < steps; t++) {
        double *kept;
        cudaSetDevice(t % 2);
        cudaGetDevice(&device);
        cudaDeviceEnablePeerAccess(1 - device, 0);
        cudaMalloc(&kept, N * sizeof(double));
        cudaMemcpy(kept, a[device], N * sizeof(double), cudaMemcpyDeviceToDevice);
        mix<<<1, N>>>(a[device], a[1 - device], shared, c);
        add_to<<<1, N>>>(a[1 - device], kept);
        cudaDeviceSynchronize();
        cudaFree(kept);
        if (t % 3 != 0)
            cudaDeviceDisablePeerAccess(1 - device);
    }
    cudaDeviceSynchronize();
    for (int d = 0; d < 2; d++)
        cudaMemcpy(y + d * N, a[d], N * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        y[i] += shared[i];
    cudaFree(shared);
    cudaFree(a[0]);
    cudaFree(a[1]);
}
