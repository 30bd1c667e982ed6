/*---
function = "nearest_sums"
wrt = ["points"]
of = ["out"]
[inputs]
points = { shape = [23], random = 1 }
out = { zeros = [23] }
n = 23
[[cases]]
[[cases]]
name = "one block"
inputs = { points = { shape = [5], random = 2 }, out = { zeros = [5] }, n = 5 }
---*/
// Loads and stores that say what caches do, limits of integers without <limits.h>, as nvcc knows them, and shared numbers that all threads of a
// block set alike and read before they wait.
__global__ void tile_sums(double *out, const double *points, int n)
{
    __shared__ int begin, end;
    __shared__ double tile[8];
    begin = blockIdx.x * blockDim.x;
    end = begin + blockDim.x < n ? begin + blockDim.x : n;
    const int last = end - 1;
    __syncthreads();
    const int i = begin + threadIdx.x;
    tile[threadIdx.x] = i <= last ? __ldcs(points + i) : 0.0;
    __syncthreads();
    if (i > last)
        return;
    int nearest = INT_MAX;
    double sum = 0.0;
    for (int k = 0; k < end - begin; k++) {
        if (k != threadIdx.x && abs(k - (int)threadIdx.x) < nearest)
            nearest = k;
        sum += tile[k] * tile[k];
    }
    if (nearest != INT_MAX)
        sum += __ldcv(&tile[nearest]) * __ldlu(points + i);
    __stcs(out + i, sum * tile[threadIdx.x]);
    __stwt(&out[i], 2 * out[i] + (i > 3 ? 1 : 0));
}

void nearest_sums(const double *points, double *out, int n)
{
    double *d_points, *d_out;
    cudaMalloc((void **)&d_points, n * sizeof(double));
    cudaMalloc((void **)&d_out, n * sizeof(double));
    cudaMemcpy(d_points, points, n * sizeof(double), cudaMemcpyHostToDevice);
    tile_sums<<<(n + 7) / 8, 8>>>(d_out, d_points, n);
    cudaMemcpy(out, d_out, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree((void **)d_points);
    cudaFree((void **)d_out);
}
