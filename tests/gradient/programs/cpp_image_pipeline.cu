/*---
function = "process"
wrt = ["pixels", "gain"]
of = ["out"]
[inputs]
pixels = { shape = [12, 16], random_uniform = 1, low = 0.1, high = 0.9 }
gain = 1.3
out = { zeros = [8, 12] }
width = 16
height = 12
---*/
// An image class that moves and copies itself runs through a pipeline of stages: filters are functors, sizes templates.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

template <typename T> class Image {
public:
    Image(int w, int h) : width(w), height(h), data_(nullptr) { cudaMalloc(&data_, bytes()); }
    Image(const Image &o) : Image(o.width, o.height) { cudaMemcpy(data_, o.data_, bytes(), cudaMemcpyDeviceToDevice); }
    Image(Image &&o) noexcept : width(o.width), height(o.height), data_(o.data_) { o.data_ = nullptr; }
    Image &operator=(Image o)
    {
        std::swap(width, o.width);
        std::swap(height, o.height);
        std::swap(data_, o.data_);
        return *this;
    }
    ~Image() { cudaFree(data_); }

    struct View {
        T *data;
        int width, height;
        __device__ T &operator()(int x, int y) const { return data[y * width + x]; }
        __device__ T clamped(int x, int y) const
        {
            return (*this)(min(max(x, 0), width - 1), min(max(y, 0), height - 1));
        }
    };
    View view() const { return View{data_, width, height}; }
    size_t bytes() const { return sizeof(T) * width * height; }
    T *data() { return data_; }
    int width, height;

private:
    T *data_;
};

template <class T, class Stage> __global__ void each_pixel(typename Image<T>::View out, typename Image<T>::View in, Stage stage)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.height)
        out(x, y) = stage(in, x, y);
}

template <int R> struct Bilateral {
    double space, range;
    template <class V> __device__ double operator()(const V &in, int x, int y) const
    {
        const double here = in(x, y);
        double sum = 0.0, weights = 0.0;
#pragma unroll
        for (int j = -R; j <= R; ++j)
#pragma unroll
            for (int i = -R; i <= R; ++i) {
                const double v = in.clamped(x + i, y + j), d = (v - here) / range;
                const double w = exp(-(i * i + j * j) / (2.0 * space * space) - 0.5 * d * d);
                sum += w * v;
                weights += w;
            }
        return sum / weights;
    }
};
struct Resized {
    double fx, fy;
    template <class V> __device__ double operator()(const V &in, int x, int y) const
    {
        const double sx = (x + 0.5) * fx - 0.5, sy = (y + 0.5) * fy - 0.5;
        const int x0 = static_cast<int>(floor(sx)), y0 = static_cast<int>(floor(sy));
        const double ax = sx - x0, ay = sy - y0;
        return (1 - ay) * ((1 - ax) * in.clamped(x0, y0) + ax * in.clamped(x0 + 1, y0)) +
               ay * ((1 - ax) * in.clamped(x0, y0 + 1) + ax * in.clamped(x0 + 1, y0 + 1));
    }
};
struct Gamma {
    double gain;
    template <class V> __device__ double operator()(const V &in, int x, int y) const { return pow(in(x, y), gain); }
};

template <class Stage, class T> Image<T> apply(const Image<T> &in, Stage stage, int width, int height)
{
    Image<T> out(width, height);
    const dim3 block(8, 4), grid((width + 7) / 8, (height + 3) / 4);
    each_pixel<T><<<grid, block>>>(out.view(), in.view(), stage);
    return out;
}
template <class Stage, class T> Image<T> operator|(const Image<T> &in, const Stage &stage)
{
    return apply(in, stage, in.width, in.height);
}

void process(double *out, const double *pixels, double gain, int width, int height)
{
    Image<double> image(width, height);
    cudaMemcpy(image.data(), pixels, image.bytes(), cudaMemcpyHostToDevice);
    Image<double> kept = image;
    image = image | Bilateral<1>{0.8, 0.3} | Gamma{gain};
    image = apply(image, Resized{width / 12.0, height / 8.0}, 12, 8);
    kept = apply(std::move(kept), Resized{width / 12.0, height / 8.0}, 12, 8) | Bilateral<2>{1.5, 0.5};
    std::array<std::vector<double>, 2> host;
    for (auto &h : host)
        h.resize(12 * 8);
    cudaMemcpy(host[0].data(), image.data(), image.bytes(), cudaMemcpyDeviceToHost);
    cudaMemcpy(host[1].data(), kept.data(), kept.bytes(), cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < host[0].size(); ++i)
        out[i] = host[0][i] * host[1][i];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 32;
    double gain = 0.8, sum = 0.0;
    std::vector<double> pixels(n * n), out(12 * 8);
    std::generate(pixels.begin(), pixels.end(), [k = 0]() mutable { return 0.1 + 0.8 * ((k++ * 37) % 64) / 64.0; });
    process(out.data(), pixels.data(), gain, n, n);
    for (const auto o : out)
        sum += o;
    std::printf("%.9f\n", sum);
}
