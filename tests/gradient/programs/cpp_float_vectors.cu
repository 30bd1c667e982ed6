/*---
function = "cloth"
wrt = ["position", "velocity", "stiffness"]
of = ["position", "velocity"]
[inputs]
position = { shape = [36], random = 1 }
velocity = { shape = [36], random = 2 }
stiffness = 0.5
n = 9
steps = 2
---*/
// Springs with float4 and helper_math.h's operators: overloads for scalars and vectors, lerp, clamp, normalize.
typedef unsigned int uint;

inline __host__ __device__ float4 make_float4(float s) { return make_float4(s, s, s, s); }
inline __host__ __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ float4 operator-(float4 a, float4 b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }
inline __host__ __device__ float4 operator*(float4 a, float b) { return make_float4(a.x * b, a.y * b, a.z * b, a.w * b); }
inline __host__ __device__ float4 operator*(float b, float4 a) { return a * b; }
inline __host__ __device__ float4 operator/(float4 a, float b) { return a * (1.0f / b); }
inline __host__ __device__ void operator+=(float4 &a, float4 b) { a = a + b; }
inline __host__ __device__ void operator-=(float4 &a, float4 b) { a = a - b; }
inline __host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline __host__ __device__ float length(float4 v) { return sqrtf(dot(v, v)); }
inline __host__ __device__ float4 normalize(float4 v) { return v * rsqrtf(dot(v, v)); }
inline __device__ __host__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __device__ __host__ float4 lerp(float4 a, float4 b, float t) { return a + t * (b - a); }
inline __device__ __host__ float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }

__global__ void forces(float4 *__restrict__ force, const float4 *__restrict__ pos, float stiffness, uint n)
{
    const uint i = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    if (i >= n)
        return;
    float4 total = make_float4(0.0f);
    const int2 neighbours[] = {{-1, 1}, {1, 1}, {-3, 2}, {3, 2}};
    for (const int2 &nb : neighbours) {
        const int j = static_cast<int>(i) + nb.x;
        if (j < 0 || j >= static_cast<int>(n))
            continue;
        const float4 d = pos[j] - pos[i];
        const float stretch = clamp(length(d) - 0.5f * nb.y, -2.0f, 2.0f);
        total += stiffness * stretch * normalize(d);
    }
    force[i] = total;
}

__global__ void move(float4 *pos, float4 *vel, const float4 *force, float dt, uint n)
{
    const uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = vel[i];
        v += dt * force[i];
        v -= v * 0.01f;
        vel[i] = lerp(vel[i], v, 0.9f);
        pos[i] += vel[i] * dt / 2.0f;
    }
}

void cloth(float *position, float *velocity, float stiffness, int n, int steps)
{
    float4 *pos, *vel, *force;
    const size_t bytes = n * sizeof(float4);
    cudaMalloc((void **)&pos, bytes);
    cudaMalloc((void **)&vel, bytes);
    cudaMalloc((void **)&force, bytes);
    cudaMemcpy(pos, position, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(vel, velocity, bytes, cudaMemcpyHostToDevice);
    const int threads = 4, blocks = (n + threads - 1) / threads;
    for (int s = 0; s < steps; ++s) {
        forces<<<blocks, threads>>>(force, pos, stiffness, n);
        move<<<blocks, threads>>>(pos, vel, force, 0.2f, n);
    }
    cudaMemcpy(position, pos, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(velocity, vel, bytes, cudaMemcpyDeviceToHost);
    cudaFree(pos);
    cudaFree(vel);
    cudaFree(force);
}
