/*---
function = "bilateral"
wrt = ["image", "sigma"]
of = ["out"]
[inputs]
out = { zeros = [54] }
image = { shape = [54], random_uniform = 1, low = 0.1, high = 0.9 }
sigma = 0.4
width = 9
height = 6
---*/
// Image filters: border policies, a pixel class with operators, a constexpr table of weights, and a pitched view.
template <class T> struct Image {
    T *data;
    int width, height, stride;
    __host__ __device__ T &at(int x, int y) const { return data[y * stride + x]; }
};

enum class Border { Clamp, Mirror, Zero };

template <Border B> struct Sampler;
template <> struct Sampler<Border::Clamp> {
    __device__ static double get(const Image<const double> &im, int x, int y)
    {
        x = x < 0 ? 0 : (x >= im.width ? im.width - 1 : x);
        y = min(max(y, 0), im.height - 1);
        return im.at(x, y);
    }
};
template <> struct Sampler<Border::Mirror> {
    __device__ static int fold(int i, int n)
    {
        if (i < 0)
            return -i - 1;
        return i >= n ? 2 * n - 1 - i : i;
    }
    __device__ static double get(const Image<const double> &im, int x, int y)
    {
        return im.at(fold(x, im.width), fold(y, im.height));
    }
};

namespace weights {
__constant__ double gauss[3] = {0.25, 0.5, 0.25};
constexpr double centre = 1.5;
}  // namespace weights

struct Accumulated {
    double value = 0.0, weight = 0.0;
    __device__ Accumulated &operator+=(const Accumulated &o)
    {
        value += o.value * o.weight;
        weight += o.weight;
        return *this;
    }
    __device__ explicit operator double() const { return value / weight; }
};

template <Border B, int R> __global__ void filter(Image<double> out, Image<const double> in, double sigma)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.width || y >= in.height)
        return;
    const double here = in.at(x, y);
    Accumulated sum;
    for (int dy = -R; dy <= R; ++dy)
        for (int dx = -R; dx <= R; ++dx) {
            const double v = Sampler<B>::get(in, x + dx, y + dy);
            const double d = (v - here) / sigma;
            double w = exp(-0.5 * d * d) * weights::gauss[dx + R] * weights::gauss[dy + R];
            if (dx == 0 && dy == 0)
                w *= weights::centre;
            sum += Accumulated{v, w};
        }
    out.at(x, y) = static_cast<double>(sum);
}

void bilateral(double *out, const double *image, double sigma, int width, int height)
{
    const int stride = width + 3;
    double *a, *b;
    cudaMalloc(&a, stride * height * sizeof(double));
    cudaMalloc(&b, stride * height * sizeof(double));
    cudaMemset(a, 0, stride * height * sizeof(double));
    for (int y = 0; y < height; ++y)
        cudaMemcpy(a + y * stride, image + y * width, width * sizeof(double), cudaMemcpyHostToDevice);
    const dim3 block(4, 4), grid((width + 3) / 4, (height + 3) / 4);
    filter<Border::Clamp, 1><<<grid, block>>>(Image<double>{b, width, height, stride}, {a, width, height, stride}, sigma);
    filter<Border::Mirror, 1><<<grid, block>>>({a, width, height, stride}, Image<const double>{b, width, height, stride}, sigma);
    for (int y = 0; y < height; ++y)
        cudaMemcpy(out + y * width, a + y * stride, width * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
