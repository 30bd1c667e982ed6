/*---
function = "hotspot"
wrt = ["temperature", "power"]
of = ["temperature"]
[inputs]
temperature = { shape = [13, 10], random_uniform = 1, low = 70.0, high = 90.0 }
power = { shape = [13, 10], random_uniform = 2, low = 0.0, high = 1.0 }
rows = 13
columns = 10
sweeps = 3
---*/
// Heat of a chip in the manner of Rodinia: several time steps inside one launch, on tiles whose valid part shrinks.
#define BLOCK 8
#define STEPS 2

__global__ void sweep(double *out, const double *temperature, const double *power, int rows, int columns, int steps,
                      double cap, double rx, double ry, double rz)
{
    __shared__ double now[BLOCK][BLOCK];
    __shared__ double next[BLOCK][BLOCK];
    int inner = BLOCK - 2 * steps;
    int x = blockIdx.x * inner - steps + threadIdx.x;
    int y = blockIdx.y * inner - steps + threadIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;
    bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
    double heat = 0.0;
    if (inside) {
        now[ty][tx] = temperature[y * columns + x];
        heat = power[y * columns + x];
    }
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        bool computed = false;
        if (inside && tx > s && tx < BLOCK - 1 - s && ty > s && ty < BLOCK - 1 - s) {
            computed = true;
            int n = y == 0 ? ty : ty - 1, south = y == rows - 1 ? ty : ty + 1;
            int w = x == 0 ? tx : tx - 1, e = x == columns - 1 ? tx : tx + 1;
            next[ty][tx] = now[ty][tx]
                + cap * (heat + (now[south][tx] + now[n][tx] - 2.0 * now[ty][tx]) * ry
                         + (now[ty][e] + now[ty][w] - 2.0 * now[ty][tx]) * rx + (80.0 - now[ty][tx]) * rz);
        }
        __syncthreads();
        if (s == steps - 1) {
            if (computed)
                out[y * columns + x] = next[ty][tx];
            break;
        }
        if (computed)
            now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
}

void hotspot(double *temperature, const double *power, int rows, int columns, int sweeps)
{
    double *buffer[2], *d_power;
    int bytes = rows * columns * sizeof(double);
    cudaMalloc((void **)&buffer[0], bytes);
    cudaMalloc((void **)&buffer[1], bytes);
    cudaMalloc((void **)&d_power, bytes);
    cudaMemcpy(buffer[0], temperature, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_power, power, bytes, cudaMemcpyHostToDevice);
    int from = 1, to = 0, inner = BLOCK - 2 * STEPS;
    dim3 block(BLOCK, BLOCK), grid((columns + inner - 1) / inner, (rows + inner - 1) / inner);
    for (int t = 0; t < sweeps; t += STEPS) {
        int other = from;
        from = to;
        to = other;
        sweep<<<grid, block>>>(buffer[to], buffer[from], d_power, rows, columns, min(STEPS, sweeps - t), 0.5, 0.1, 0.15,
                               0.05);
    }
    cudaMemcpy(temperature, buffer[to], bytes, cudaMemcpyDeviceToHost);
    cudaFree(buffer[0]);
    cudaFree(buffer[1]);
    cudaFree(d_power);
}
