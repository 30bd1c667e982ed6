/*---
function = "driver"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [8] }
x = { shape = [8], random = 1 }
w = { shape = [6], random = 2 }
---*/
// Device variables by all their calls: copies with offsets, to and fro, addresses, sizes, in a stream, in a loop.
__constant__ double table[2][3];
__device__ double state[8];
__device__ double scale = 2.0;

__global__ void step(const double *x)
{
    int i = threadIdx.x;
    state[i] = scale * state[i] * table[i % 2][i % 3] + x[i];
}

void driver(double *y, const double *x, const double *w)
{
    double *address;
    size_t size = 0;
    double factor = 0.0;
    double *d_x;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_x, 8 * sizeof(double));
    cudaMemcpy(d_x, x, 8 * sizeof(double), cudaMemcpyHostToDevice);
    cudaGetSymbolSize(&size, state);
    cudaGetSymbolAddress((void **)&address, state);
    cudaMemset(address, 0, size);
    cudaMemcpyToSymbol(table, w + 3, 3 * sizeof(double));
    if (cudaMemcpyToSymbol(table, w, 3 * sizeof(double), 3 * sizeof(double), cudaMemcpyHostToDevice) != cudaSuccess)
        return;
    for (int k = 0; k < 3; k++) {
        step<<<1, 8, 0, stream>>>(d_x);
        cudaMemcpyFromSymbolAsync(&factor, state, sizeof(double), k * sizeof(double), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        factor = 1.0 + 0.5 * factor;
        cudaMemcpyToSymbolAsync(scale, &factor, sizeof(double), 0, cudaMemcpyHostToDevice, stream);
    }
    cudaMemcpyFromSymbol(y, state, 8 * sizeof(double));
    cudaFree(d_x);
    cudaStreamDestroy(stream);
}
