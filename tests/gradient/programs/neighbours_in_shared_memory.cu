/*---
function = "smooth"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [37] }
x = { shape = [37], random = 1 }
w = { shape = [4], random = 2 }
n = 37
---*/
// Each thread reads four floats in a row of a shared tile, by a pointer of its own, and four of a table.
#define TILE 16

__device__ float weighted(const float *four, const float *w)
{
    return w[0] * four[0] * four[0] + w[1] * sinf(four[1]) + w[2] * four[2] * four[3] + w[3] * four[3];
}

__global__ void stencil(float *y, const float *x, const float *w, int n)
{
    __shared__ float tile[TILE + 3];
    int i = blockIdx.x * TILE + threadIdx.x;
    for (int k = threadIdx.x; k < TILE + 3; k += TILE) {
        int at = blockIdx.x * TILE + k;
        tile[k] = at < n ? x[at] : 0.5f;
    }
    __syncthreads();
    if (i < n)
        y[i] = weighted(tile + threadIdx.x, w);
}

void smooth(float *y, const float *x, const float *w, int n)
{
    stencil<<<(n + TILE - 1) / TILE, TILE>>>(y, x, w, n);
}
