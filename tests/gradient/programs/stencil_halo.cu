/*---
function = "smooth"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [43] }
x = { shape = [43], random = 1 }
w = { shape = [5], random = 2 }
n = 43
---*/
// A one-dimensional stencil of radius 2 on a tile with its halo; the ends clamp.
#define R 2
#define B 16

__global__ void smooth_kernel(double *y, const double *x, const double *w, int n)
{
    __shared__ double tile[B + 2 * R];
    int i = blockIdx.x * B + threadIdx.x;
    int last = n - 1;
    tile[threadIdx.x + R] = x[i < n ? i : last];
    if (threadIdx.x < R) {
        int left = i - R, right = i + B;
        tile[threadIdx.x] = x[left < 0 ? 0 : (left > last ? last : left)];
        tile[threadIdx.x + R + B] = x[right > last ? last : right];
    }
    __syncthreads();
    if (i >= n)
        return;
    double sum = 0.0;
    for (int k = -R; k <= R; k++)
        sum += w[k + R] * tile[threadIdx.x + R + k];
    y[i] = sum * tile[threadIdx.x + R];
}

void smooth(double *y, const double *x, const double *w, int n)
{
    smooth_kernel<<<(n + B - 1) / B, B>>>(y, x, w, n);
}
