/*---
function = "weigh"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [120], random = 1 }
y = { zeros = [30] }
n = 30
---*/
// Alignment specifiers of variables: what is read as larger elements lies where these may lie, in the adjoint too.
struct __align__(16) quad { float x, y, z, w; };
__constant__ __align__(8) float weights[2] = {0.5f, 1.25f};

__global__ void weigh_kernel(float *y, const float *x, int n)
{
    __shared__ float first[65];
    __shared__ __align__(16) float tile[64];
    extern __shared__ __align__(16) float more[];
    alignas(16) float mine[4];
    int t = threadIdx.x, i = blockIdx.x * 16 + t / 4;
    first[t] = i < n ? x[4 * i + t % 4] : 0.0f;
    tile[t] = first[t] * first[t];
    more[t] = sinf(first[t]);
    __syncthreads();
    if (t % 4 == 0 && i < n) {
        float4 a = ((float4 *)tile)[t / 4];
        struct quad *q = (struct quad *)more;
        for (int k = 0; k < 4; k++)
            mine[k] = first[t + k] * weights[k % 2];
        float4 b = *(float4 *)mine;
        y[i] = a.x * b.y + a.z * q[t / 4].w - q[t / 4].x * b.w;
    }
}

void weigh(float *y, const float *x, int n)
{
    float *dx, *dy;
    cudaMalloc((void **)&dx, 4 * n * sizeof(float));
    cudaMalloc((void **)&dy, n * sizeof(float));
    cudaMemcpy(dx, x, 4 * n * sizeof(float), cudaMemcpyHostToDevice);
    weigh_kernel<<<(n + 15) / 16, 64, 64 * sizeof(float)>>>(dy, dx, n);
    cudaMemcpy(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dx);
    cudaFree(dy);
}
