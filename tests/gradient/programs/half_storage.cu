/*---
function = "blend"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [45] }
x = { shape = [45], random_uniform = 1, low = 0.5, high = 1.5 }
weights = { shape = [45], random = 2 }
n = 45

[[cases]]
name = "some"

[[cases]]
name = "none"
inputs = { n = 0 }
---*/
// Inactive data stored in half precision and bfloat16: arrays, members, shared memory, on the host and on the device.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct packed {
    half weight;
    __nv_bfloat16 offset;
    int index;
};

__device__ float decoded(const struct packed *p)
{
    return __half2float(p->weight) + __bfloat162float(p->offset);
}

__global__ void pack(struct packed *out, __half *plain, const float *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i].weight = __float2half(weights[i] * 0.001f);
        out[i].offset = __float2bfloat16(weights[i] + 2);
        out[i].index = n - 1 - i;
        plain[i] = __float2half_rn(weights[i]);
    }
}

__global__ void apply(float *y, const float *x, const struct packed *in, const __half *plain, half scale, int n)
{
    __shared__ half tile[16];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = plain[i];
    __syncthreads();
    if (i >= n)
        return;
    half own = tile[threadIdx.x], one = 1.0f;
    float w = own, v = x[in[i].index];
    __half pair[2] = {own, one};
    y[i] = v * v * w * decoded(&in[i]) + static_cast<float>(pair[i % 2]) * sinf(v * (float)scale);
    if (sizeof(half) == 2 && __half2float(__ldg(&plain[i])) > 0)
        y[i] *= v;
}

void blend(float *y, const float *x, const float *weights, int n)
{
    if (n < 1)
        return;
    struct packed *in;
    __half *plain, *copy;
    cudaMalloc(&in, n * sizeof(struct packed));
    cudaMalloc(&plain, n * sizeof(__half));
    cudaMalloc(&copy, n * sizeof(__half));
    pack<<<(n + 15) / 16, 16>>>(in, plain, weights, n);
    cudaMemcpy(copy, plain, n * sizeof(__half), cudaMemcpyDeviceToDevice);
    half scale = __float2half(0.7f);
    apply<<<(n + 15) / 16, 16>>>(y, x, in, copy, scale, n);
    cudaFree(in);
    cudaFree(plain);
    cudaFree(copy);
}
