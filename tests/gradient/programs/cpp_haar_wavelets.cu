/*---
function = "denoise"
wrt = ["image"]
of = ["image"]
[inputs]
image = { shape = [16, 16], random = 1 }
n = 16
levels = 2
---*/
// Wavelets of an image, level by level: a class owns the image, rows and columns are a template argument, soft thresholds.
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

enum class Axis { X, Y };
enum Direction { Forward, Inverse };

template <Axis axis> __host__ __device__ constexpr int place(int line, int k, int n)
{
    return axis == Axis::X ? line * n + k : k * n + line;
}

template <Axis axis, Direction direction> __global__ void haar(double *image, int n, int size)
{
    extern __shared__ double line[];
    const int row = blockIdx.x, half = size / 2;
    for (int k = threadIdx.x; k < size; k += blockDim.x)
        line[k] = image[place<axis>(row, k, n)];
    __syncthreads();
    const double root = 0.70710678;
    for (int k = threadIdx.x; k < half; k += blockDim.x) {
        double a, b;
        if constexpr (direction == Forward) {
            a = root * (line[2 * k] + line[2 * k + 1]);
            b = root * (line[2 * k] - line[2 * k + 1]);
            image[place<axis>(row, k, n)] = a;
            image[place<axis>(row, k + half, n)] = b;
        } else {
            a = root * (line[k] + line[k + half]);
            b = root * (line[k] - line[k + half]);
            image[place<axis>(row, 2 * k, n)] = a;
            image[place<axis>(row, 2 * k + 1, n)] = b;
        }
    }
}
__global__ void shrink(double *image, int n, int keep, double limit)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n || (x < keep && y < keep))
        return;
    double &v = image[y * n + x];
    const double size = fabs(v);
    v = size > limit ? copysign(size - limit, v) : 0.0 * v;
}

class Wavelets {
    double *image_{};
    const int n_, levels_;

    template <Direction direction> void level(int size) const
    {
        const size_t shared = size * sizeof(double);
        if (direction == Forward) {
            haar<Axis::X, direction><<<size, 8, shared>>>(image_, n_, size);
            haar<Axis::Y, direction><<<size, 8, shared>>>(image_, n_, size);
        } else {
            haar<Axis::Y, direction><<<size, 8, shared>>>(image_, n_, size);
            haar<Axis::X, direction><<<size, 8, shared>>>(image_, n_, size);
        }
    }

public:
    Wavelets(const double *from, int n, int levels) : n_{n}, levels_{levels}
    {
        cudaMalloc(&image_, sizeof(*image_) * n * n);
        cudaMemcpy(image_, from, sizeof(*image_) * n * n, cudaMemcpyHostToDevice);
    }
    ~Wavelets() { cudaFree(image_); }
    Wavelets &forward()
    {
        for (int l = 0, size = n_; l < levels_; ++l, size /= 2)
            level<Forward>(size);
        return *this;
    }
    Wavelets &threshold(double limit)
    {
        dim3 block{8, 8}, grid{(unsigned)(n_ + 7) / 8, (unsigned)(n_ + 7) / 8};
        shrink<<<grid, block>>>(image_, n_, n_ >> levels_, limit);
        return *this;
    }
    Wavelets &inverse()
    {
        for (int size = n_ >> (levels_ - 1); size <= n_; size *= 2)
            level<Inverse>(size);
        return *this;
    }
    void read(double *to) const { cudaMemcpy(to, image_, sizeof(double) * n_ * n_, cudaMemcpyDeviceToHost); }
};

void denoise(double *image, int n, int levels)
{
    Wavelets w(image, n, levels);
    w.forward().threshold(0.3).inverse().read(image);
}

int main(int argc, char **argv)
{
    int n = 16;
    if (argc == 2)
        n = atoi(argv[1]);
    double contrast = 2.0, power = 0.0;
    std::vector<double> image(static_cast<size_t>(n) * n);
    for (size_t i = 0; i < image.size(); ++i)
        image[i] = static_cast<double>(contrast) * ((i * 37) % 19 / 19.0 - 0.5);
    denoise(image.data(), n, 2);
    for (double v : image)
        power += static_cast<double>(v) * v;
    printf("%f\n", power);
    assert(power > 0);
    return 0;
}
