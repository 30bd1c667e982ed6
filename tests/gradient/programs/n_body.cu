/*---
function = "simulate"
wrt = ["position", "velocity"]
of = ["position", "velocity"]
[inputs]
position = { shape = [21], random = 1 }
velocity = { shape = [21], random = 2 }
n = 21
steps = 2
dt = 0.01
---*/
// Gravity of all pairs, tiles of bodies in shared memory, float4 and a device function; two buffers take turns.
#define TILE 8

__device__ float3 pull(float4 a, float4 b, float3 sum)
{
    float3 r;
    r.x = b.x - a.x;
    r.y = b.y - a.y;
    r.z = b.z - a.z;
    float inverse = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + 0.5f);
    float s = 0.5f * inverse * inverse * inverse * (1.0f + b.w * b.w);
    sum.x += r.x * s;
    sum.y += r.y * s;
    sum.z += r.z * s;
    return sum;
}

__global__ void integrate(float4 *next, float4 *velocity, const float4 *position, int n, float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n)
        me = position[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int start = 0; start < n; start += TILE) {
        int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? position[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (int k = 0; k < TILE && start + k < n; k++)
            sum = pull(me, tile[k], sum);
        __syncthreads();
    }
    if (i < n) {
        float4 v = velocity[i];
        v.x += sum.x * dt;
        v.y += sum.y * dt;
        v.z += sum.z * dt;
        velocity[i] = v;
        me.x += v.x * dt;
        me.y += v.y * dt;
        me.z += v.z * dt;
        next[i] = me;
    }
}

void simulate(float4 *position, float4 *velocity, int n, int steps, float dt)
{
    float4 *buffer[2];
    for (int k = 0; k < 2; k++)
        cudaMalloc(&buffer[k], n * sizeof(float4));
    cudaMemcpy(buffer[0], position, n * sizeof(float4), cudaMemcpyDeviceToDevice);
    for (int t = 0; t < steps; t++)
        integrate<<<(n + TILE - 1) / TILE, TILE>>>(buffer[(t + 1) % 2], velocity, buffer[t % 2], n, dt);
    cudaMemcpy(position, buffer[steps % 2], n * sizeof(float4), cudaMemcpyDeviceToDevice);
    cudaFree(buffer[0]);
    cudaFree(buffer[1]);
}
