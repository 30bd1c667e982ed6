/*---
function = "propagate"
wrt = ["weights", "inputs"]
of = ["hidden"]
[inputs]
hidden = { zeros = [9] }
weights = { shape = [99], random = 1 }
inputs = { shape = [11], random = 2 }
n = 9
m = 11
---*/
// Casts of every kind, as programs that came from C have them: void pointers, steps in bytes, enums, bases, constness.
#include <cstdint>

namespace net {
enum Layout { ROWS = 1, COLUMNS };
enum class Activation : unsigned char { Linear, Squash = 4, Soft };
constexpr int WIDTHS[] = {4, 8, 16};
template <int I> constexpr int width() { return WIDTHS[I]; }
}  // namespace net

struct Header {
    int n, m;
    __host__ __device__ int cells() const { return n * m; }
};
struct Shape : Header {
    size_t pitch;
};

__global__ void forward(void *out, const void *raw, const double *in, const Shape *shape, net::Activation kind)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Header &head = static_cast<const Header &>(*shape);
    if (i >= head.n || head.cells() == 0)
        return;
    const double *row = reinterpret_cast<const double *>(static_cast<const char *>(raw) + i * shape->pitch);
    double parts[net::width<0>()] = {};
    for (int k = 0; k < head.m; ++k)
        parts[static_cast<unsigned>(k) % 4u] += row[k] * in[k];
    double s = const_cast<double &>(parts[0]) + parts[1] + (double)parts[2] + double(parts[3]);
    switch (kind) {
    case net::Activation::Linear:
        break;
    case net::Activation::Squash:
        s = 1 / (1 + exp(-s));
        break;
    default:
        s = log1p(exp(s));
    }
    double *to = static_cast<double *>(out) + i;
    *to = s * static_cast<int>(kind) + static_cast<float>(i) * 0.25f + (uint8_t)(300 + i) + (int)3.7;
}

void propagate(double *hidden, const double *weights, const double *inputs, int n, int m)
{
    Shape shape;
    shape.n = n;
    shape.m = m;
    shape.pitch = static_cast<size_t>(m) * sizeof(double);
    void *on_device, *copy;
    cudaMalloc(&on_device, sizeof(Shape));
    cudaMalloc((void **)&copy, n * shape.pitch);
    cudaMemcpy(on_device, (const void *)&shape, sizeof shape, cudaMemcpyHostToDevice);
    cudaMemcpy(copy, static_cast<const void *>(weights), n * shape.pitch, cudaMemcpyDeviceToDevice);
    const auto kind = n > 0 ? static_cast<net::Activation>(net::COLUMNS * 2) : net::Activation::Soft;
    forward<<<(n + 3) / 4, 4>>>((void *)hidden, copy, inputs, reinterpret_cast<Shape *>(on_device), kind);
    cudaFree(copy);
    cudaFree(on_device);
}
