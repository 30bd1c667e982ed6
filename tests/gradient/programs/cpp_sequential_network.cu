/*---
function = "loss"
wrt = ["x", "params"]
[inputs]
x = { shape = [12], random = 1 }
params = { shape = [38], random = 2 }
batch = 3
---*/
// A network of layers behind std::unique_ptr, of tensors that share device memory with a lambda as deleter.
#include <cuda_runtime.h>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#define CUDA_CHECK(call)                                                                        \
    do {                                                                                        \
        cudaError_t e = call;                                                                   \
        if (e != cudaSuccess)                                                                   \
            throw std::runtime_error(std::string("CUDA failure ") + cudaGetErrorString(e) +     \
                                     " at " __FILE__ ":" + std::to_string(__LINE__));           \
    } while (0)

using Buffer = std::shared_ptr<double>;
Buffer device_buffer(size_t n)
{
    double *p = nullptr;
    CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof(double)));
    CUDA_CHECK(cudaMemset(p, 0, n * sizeof(double)));
    return Buffer(p, [](double *q) { cudaFree(q); });
}

struct Shape { int rows, cols; int size() const { return rows * cols; } };

class Tensor {
public:
    Tensor() = default;
    Tensor(int rows, int cols) : shape_{rows, cols}, buf_(device_buffer(rows * cols)) {}
    double *data() const { return buf_.get(); }
    Shape shape() const { return shape_; }
    void upload(const double *h) { CUDA_CHECK(cudaMemcpy(buf_.get(), h, shape_.size() * sizeof(double), cudaMemcpyHostToDevice)); }
private:
    Shape shape_{0, 0};
    Buffer buf_;
};

namespace kernels {
__global__ void linear(const double *x, const double *w, const double *b, double *y, int m, int k, int n)
{
    int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < m && c < n) {
        double acc = b[c];
        for (int i = 0; i < k; ++i) acc += x[r * k + i] * w[i * n + c];
        y[r * n + c] = acc;
    }
}
template <typename Op> __global__ void map(const double *x, double *y, int n, Op op)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = op(x[i]);
}
__global__ void sum_squares(const double *x, double *out, int n)
{
    extern __shared__ double cache[];
    double t = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) t += x[i] * x[i];
    cache[threadIdx.x] = t;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = cache[0];
}
}  // namespace kernels

struct Tanh { __device__ double operator()(double v) const { return tanh(v); } };
struct Softplus { double beta; __device__ double operator()(double v) const { return log1p(exp(beta * v)) / beta; } };

class Layer {
public:
    virtual ~Layer() = default;
    virtual Tensor forward(const Tensor &x) = 0;
    virtual int num_params() const { return 0; }
};

class Linear final : public Layer {
public:
    Linear(int in, int out, const double *w) : in_(in), out_(out), w_(in, out), b_(1, out)
    {
        w_.upload(w);
        b_.upload(w + in * out);
    }
    Tensor forward(const Tensor &x) override
    {
        const auto [m, k] = x.shape();
        if (k != in_) throw std::invalid_argument("bad shape");
        Tensor y(m, out_);
        dim3 block(4, 2), grid((out_ + block.x - 1) / block.x, (m + block.y - 1) / block.y);
        kernels::linear<<<grid, block>>>(x.data(), w_.data(), b_.data(), y.data(), m, k, out_);
        CUDA_CHECK(cudaPeekAtLastError());
        return y;
    }
    int num_params() const override { return in_ * out_ + out_; }
private:
    int in_, out_;
    Tensor w_, b_;
};

template <typename Op> class Activation : public Layer {
public:
    explicit Activation(Op op = Op{}) : op_(op) {}
    Tensor forward(const Tensor &x) override
    {
        auto s = x.shape();
        Tensor y(s.rows, s.cols);
        kernels::map<<<2, 8>>>(x.data(), y.data(), s.size(), op_);
        CUDA_CHECK(cudaGetLastError());
        return y;
    }
private:
    Op op_;
};

class Sequential {
public:
    template <typename L, typename... Args> Sequential &add(Args &&...args)
    {
        layers_.emplace_back(std::make_unique<L>(std::forward<Args>(args)...));
        return *this;
    }
    Tensor operator()(Tensor x) const
    {
        for (const auto &layer : layers_) x = layer->forward(x);
        return x;
    }
    int num_params() const
    {
        int n = 0;
        for (auto &&l : layers_) n += l->num_params();
        return n;
    }
private:
    std::vector<std::unique_ptr<Layer>> layers_;
};

double loss(const double *x, const double *params, int batch)
{
    Tensor in(batch, 4);
    in.upload(x);
    Sequential net;
    net.add<Linear>(4, 5, params).add<Activation<Tanh>>().add<Linear>(5, 2, params + 25).add<Activation<Softplus>>(Softplus{1.5});
    std::cout << "parameters: " << net.num_params() << "\n";
    Tensor y = net(in);
    auto out = device_buffer(1);
    kernels::sum_squares<<<1, 8, 8 * sizeof(double)>>>(y.data(), out.get(), y.shape().size());
    double h = 0;
    CUDA_CHECK(cudaMemcpy(&h, out.get(), sizeof h, cudaMemcpyDeviceToHost));
    return 0.5 * h / batch;
}
