/*---
function = "flow"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [30] }
x = { shape = [30, 2], random = 1 }
flags = { shape = [30], random = 2, low = 0, high = 4 }
n = 30

[[cases]]
name = "bytes"

[[cases]]
name = "bits"
function = "flow_by_bits"
---*/
// Flags in the bits of a floating number beside active ones, as in Parboil's LBM: read, and exact in the reverse sweep.
#define FLAG(cells, i) (*(unsigned char *)&(cells)[3 * (i) + 2])

__global__ void fill(float *cells, const float *x, const int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cells[3 * i] = x[2 * i];
        cells[3 * i + 1] = x[2 * i + 1] * x[2 * i];
        cells[3 * i + 2] = __int_as_float(flags[i]);
    }
}

__global__ void collide(float *y, const float *cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float a = cells[3 * i], b = cells[3 * i + 1];
    if (FLAG(cells, i) & 1)
        y[i] = b;
    else
        y[i] = a + 0.3f * (b - a) * b;
}

__global__ void collide_by_bits(float *y, const float *cells, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int flag = __float_as_int(cells[3 * i + 2]);
    y[i] = flag & 2 ? cells[3 * i] * flag : cells[3 * i + 1] * cells[3 * i];
}

void flow(float *y, const float *x, const int *flags, int n)
{
    float *cells;
    cudaMalloc(&cells, 3 * n * sizeof(float));
    fill<<<(n + 7) / 8, 8>>>(cells, x, flags, n);
    collide<<<(n + 7) / 8, 8>>>(y, cells, n);
    cudaFree(cells);
}

void flow_by_bits(float *y, const float *x, const int *flags, int n)
{
    float *cells;
    cudaMalloc(&cells, 3 * n * sizeof(float));
    fill<<<(n + 7) / 8, 8>>>(cells, x, flags, n);
    collide_by_bits<<<(n + 7) / 8, 8>>>(y, cells, n);
    cudaFree(cells);
}
