/*---
function = "render"
wrt = ["volume"]
of = ["image"]
[inputs]
image = { zeros = [12, 9, 4] }
volume = { shape = [6, 6, 6], random_uniform = 1, low = 0.05, high = 1.0 }
size = 6
width = 12
height = 9
---*/
// Ray marching through a volume of densities: emission and absorption along rays, a transfer function in constant memory.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        const cudaError_t status_ = (call);                                                            \
        if (status_ != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));      \
            std::exit(EXIT_FAILURE);                                                                   \
        }                                                                                              \
    } while (0)

inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
inline __host__ __device__ float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
inline __host__ __device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
inline __host__ __device__ float3 operator/(float3 a, float3 b) { return make_float3(a.x / b.x, a.y / b.y, a.z / b.z); }
inline __host__ __device__ float4 operator*(float4 a, float s) { return make_float4(a.x * s, a.y * s, a.z * s, a.w * s); }
inline __host__ __device__ void operator+=(float4 &a, float4 b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    a.w += b.w;
}
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline __host__ __device__ float3 normalize(float3 v) { return v * (1.0f / sqrtf(dot(v, v))); }
inline __host__ __device__ float3 fminf(float3 a, float3 b) { return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)); }
inline __host__ __device__ float3 fmaxf(float3 a, float3 b) { return make_float3(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)); }
inline __host__ __device__ float lerp(float a, float b, float t) { return a + t * (b - a); }
inline __host__ __device__ float4 lerp(float4 a, float4 b, float t)
{
    return make_float4(lerp(a.x, b.x, t), lerp(a.y, b.y, t), lerp(a.z, b.z, t), lerp(a.w, b.w, t));
}

struct Ray {
    float3 origin, direction;
    __device__ float3 operator()(float t) const { return origin + direction * t; }
};

struct RenderFlags {
    unsigned shaded : 1;
    unsigned early_exit : 1;
    unsigned samples : 6;
};

struct Camera {
    float3 eye{0.5f, 0.45f, -1.6f};
    float focal = 1.7f;
    __device__ Ray ray(float u, float v) const { return {eye, normalize(make_float3(u, v, focal))}; }
};

static __constant__ float4 transfer[4] = {
    {0.1f, 0.1f, 0.6f, 0.1f}, {0.2f, 0.7f, 0.3f, 0.4f}, {0.8f, 0.6f, 0.1f, 0.9f}, {1.0f, 0.9f, 0.8f, 1.6f}};

class Volume {
public:
    Volume(const float *data, int n) : data_(data), n_(n) {}
    __device__ float operator()(int i, int j, int k) const { return data_[(k * n_ + j) * n_ + i]; }
    __device__ float sample(float3 p) const
    {
        const float x = p.x * (n_ - 1), y = p.y * (n_ - 1), z = p.z * (n_ - 1);
        const int i = max(0, min(int(x), n_ - 2)), j = max(0, min(int(y), n_ - 2)), k = max(0, min(int(z), n_ - 2));
        const float fx = x - i, fy = y - j, fz = z - k;
        const Volume &v = *this;
        auto row = [&](int b, int c) { return lerp(v(i, j + b, k + c), v(i + 1, j + b, k + c), fx); };
        return lerp(lerp(row(0, 0), row(1, 0), fy), lerp(row(0, 1), row(1, 1), fy), fz);
    }

private:
    const float *data_;
    int n_;
};

__device__ bool intersect(const Ray &r, float3 low, float3 high, float *t_near, float *t_far)
{
    const float3 inverse = make_float3(1.0f, 1.0f, 1.0f) / r.direction;
    const float3 bottom = inverse * (low - r.origin), top = inverse * (high - r.origin);
    const float3 first = fminf(top, bottom), last = fmaxf(top, bottom);
    *t_near = fmaxf(fmaxf(first.x, first.y), fmaxf(first.x, first.z));
    *t_far = fminf(fminf(last.x, last.y), fminf(last.x, last.z));
    return *t_far > *t_near;
}

__device__ float4 classify(float density)
{
    float4 color = transfer[3];
    for (int k = 2; k >= 0; --k)
        color = lerp(transfer[k], color, density * 0.5f);
    return color;
}

__global__ void march(float4 *image, Volume volume, Camera camera, RenderFlags flags, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float u = (x + 0.37f) / width - 0.5f, v = (y + 0.41f) / height - 0.5f;
    const Ray ray = camera.ray(u, v);
    float t, end;
    float4 sum{0.0f, 0.0f, 0.0f, 0.0f};
    if (intersect(ray, make_float3(0, 0, 0), make_float3(1, 1, 1), &t, &end)) {
        t = fmaxf(t, 0.0f);
        const float step = (end - t) / flags.samples;
        for (unsigned s = 0; s < flags.samples; ++s, t += step) {
            float4 color = classify(volume.sample(ray(t + 0.5f * step)));
            color.w = 1.0f - expf(-color.w * step);
            color.x *= color.w;
            color.y *= color.w;
            color.z *= color.w;
            sum += color * (1.0f - sum.w);
            if (flags.early_exit && sum.w > 0.999f)
                break;
        }
    }
    image[y * width + x] = sum;
}

void render(float *image, const float *volume, int size, int width, int height)
{
    float *d_volume = nullptr;
    float4 *d_image = nullptr;
    const size_t bytes = sizeof(float) * size * size * size;
    CHECK(cudaMalloc(&d_volume, bytes));
    CHECK(cudaMalloc(&d_image, width * height * sizeof(float4)));
    CHECK(cudaMemcpy(d_volume, volume, bytes, cudaMemcpyHostToDevice));

    RenderFlags flags{};
    flags.early_exit = 1;
    flags.samples = 24;
    const dim3 block(8, 4), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
    march<<<grid, block>>>(d_image, Volume(d_volume, size), Camera{}, flags, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(image, d_image, width * height * sizeof(float4), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_volume));
    CHECK(cudaFree(d_image));
}

int main(int argc, char **argv)
{
    int size = 32, width = 64, height = 48;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--size" && i + 1 < argc)
            size = std::stoi(argv[++i]);
        else if (option == "--width" && i + 1 < argc)
            width = std::stoi(argv[++i]);
        else {
            std::fprintf(stderr, "usage: %s [--size N] [--width W]\n", argv[0]);
            return 1;
        }
    }
    double scale = 0.9;
    std::vector<float> volume(size * size * size), image(4 * width * height);
    for (size_t i = 0; i < volume.size(); ++i)
        volume[i] = scale * (0.5f + 0.5f * std::sin(0.37f * i));
    const auto start = std::chrono::high_resolution_clock::now();
    render(image.data(), volume.data(), size, width, height);
    const std::chrono::duration<double, std::milli> took = std::chrono::high_resolution_clock::now() - start;
    double brightness = 0;
    for (float c : image)
        brightness += c;
    std::printf("brightness %.6f in %.3f ms\n", brightness, took.count());
    return 0;
}
