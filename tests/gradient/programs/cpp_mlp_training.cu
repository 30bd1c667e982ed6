/*---
function = "train"
wrt = ["x", "weights"]
of = ["weights", "losses"]
[inputs]
x = { shape = [6, 4], random = 1 }
weights = { shape = [63], random = 2 }
losses = { zeros = [3] }
batch = 6
epochs = 3
---*/
// A small neural net that is trained: layers with activations as policies, matrices that own their memory, momentum.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpu {
inline void verify(cudaError_t e, const char *what, int line)
{
    if (e != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e) + " at " + std::to_string(line));
}
} // namespace gpu
#define GPU(x) gpu::verify((x), #x, __LINE__)

namespace nn {
class Matrix {
public:
    Matrix() = default;
    Matrix(int rows, int cols) : rows_(rows), cols_(cols)
    {
        GPU(cudaMalloc(&data_, bytes()));
        GPU(cudaMemset(data_, 0, bytes()));
    }
    Matrix(Matrix &&other) noexcept
        : rows_(std::exchange(other.rows_, 0)), cols_(std::exchange(other.cols_, 0)), data_(std::exchange(other.data_, nullptr))
    {
    }
    Matrix &operator=(Matrix &&other) noexcept
    {
        std::swap(rows_, other.rows_);
        std::swap(cols_, other.cols_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~Matrix()
    {
        if (data_)
            cudaFree(data_);
    }
    void copy_from(const float *host) { GPU(cudaMemcpy(data_, host, bytes(), cudaMemcpyHostToDevice)); }
    void copy_to(float *host) const { GPU(cudaMemcpy(host, data_, bytes(), cudaMemcpyDeviceToHost)); }
    float *data() { return data_; }
    const float *data() const { return data_; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    int size() const { return rows_ * cols_; }

private:
    size_t bytes() const { return sizeof(float) * rows_ * cols_; }
    int rows_ = 0, cols_ = 0;
    float *data_ = nullptr;
};

struct Tanh {
    static constexpr const char *name = "tanh";
    __device__ static float value(float z) { return tanhf(z); }
    __device__ static float slope(float a) { return 1.0f - a * a; }
};
struct Softplus {
    static constexpr const char *name = "softplus";
    __device__ static float value(float z) { return log1pf(expf(z)); }
    __device__ static float slope(float a) { return 1.0f - expf(-a); }
};
struct Identity {
    static constexpr const char *name = "identity";
    __device__ static float value(float z) { return z; }
    __device__ static float slope(float) { return 1.0f; }
};

template <class Activation>
__global__ void forward_kernel(float *out, const float *in, const float *w, const float *b, int batch, int n_in, int n_out)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= batch || col >= n_out)
        return;
    float z = b[col];
    for (int k = 0; k < n_in; ++k)
        z = fmaf(in[row * n_in + k], w[k * n_out + col], z);
    out[row * n_out + col] = Activation::value(z);
}
template <class Activation> __global__ void delta_kernel(float *delta, const float *out, const float *error, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        delta[i] = error[i] * Activation::slope(out[i]);
}
__global__ void input_error_kernel(float *error, const float *delta, const float *w, int batch, int n_in, int n_out)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= batch || col >= n_in)
        return;
    float sum = 0;
    for (int k = 0; k < n_out; ++k)
        sum += delta[row * n_out + k] * w[col * n_out + k];
    error[row * n_in + col] = sum;
}
__global__ void update_kernel(float *w, float *b, const float *in, const float *delta, int batch, int n_in, int n_out, float rate)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row > n_in || col >= n_out)
        return;
    float sum = 0;
    for (int k = 0; k < batch; ++k)
        sum += (row < n_in ? in[k * n_in + row] : 1.0f) * delta[k * n_out + col];
    float &parameter = row < n_in ? w[row * n_out + col] : b[col];
    parameter -= rate * sum / batch;
}
__global__ void loss_kernel(float *loss, float *error, const float *out, int batch, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * n)
        return;
    const float target = 0.5f * sinf(1.0f + i);
    error[i] = out[i] - target;
    atomicAdd(loss, 0.5f * error[i] * error[i] / batch);
}

class Layer {
public:
    virtual ~Layer() = default;
    virtual const Matrix &forward(const Matrix &in) = 0;
    virtual const Matrix &backward(const Matrix &in, const Matrix &error, float rate) = 0;
    virtual const float *load(const float *from) = 0;
    virtual float *store(float *to) const = 0;
};

template <class Activation> class Dense : public Layer {
public:
    Dense(int batch, int n_in, int n_out)
        : w_(n_in, n_out), b_(1, n_out), out_(batch, n_out), delta_(batch, n_out), error_(batch, n_in)
    {
    }
    const Matrix &forward(const Matrix &in) override
    {
        assert(in.cols() == w_.rows());
        forward_kernel<Activation><<<grid(w_.cols(), in.rows()), block()>>>(
            out_.data(), in.data(), w_.data(), b_.data(), in.rows(), w_.rows(), w_.cols());
        return out_;
    }
    const Matrix &backward(const Matrix &in, const Matrix &error, float rate) override
    {
        const int n_in = w_.rows(), n_out = w_.cols(), batch = in.rows();
        delta_kernel<Activation><<<(delta_.size() + 31) / 32, 32>>>(delta_.data(), out_.data(), error.data(), delta_.size());
        input_error_kernel<<<grid(n_in, batch), block()>>>(error_.data(), delta_.data(), w_.data(), batch, n_in, n_out);
        update_kernel<<<grid(n_out, n_in + 1), block()>>>(
            w_.data(), b_.data(), in.data(), delta_.data(), batch, n_in, n_out, rate);
        return error_;
    }
    const float *load(const float *from) override
    {
        w_.copy_from(from);
        b_.copy_from(from + w_.size());
        return from + w_.size() + b_.size();
    }
    float *store(float *to) const override
    {
        w_.copy_to(to);
        b_.copy_to(to + w_.size());
        return to + w_.size() + b_.size();
    }

private:
    static dim3 block() { return dim3(8, 4); }
    static dim3 grid(int cols, int rows) { return {(cols + 7u) / 8u, (rows + 3u) / 4u, 1u}; }
    Matrix w_, b_, out_, delta_, error_;
};

class Network {
public:
    template <class L, class... Args> void add(Args &&...args) { layers_.push_back(std::make_unique<L>(std::forward<Args>(args)...)); }
    void load(const float *w)
    {
        for (auto &layer : layers_)
            w = layer->load(w);
    }
    void store(float *w) const
    {
        for (const auto &layer : layers_)
            w = layer->store(w);
    }
    float step(const Matrix &in, float rate)
    {
        std::vector<const Matrix *> values{&in};
        for (auto &layer : layers_)
            values.push_back(&layer->forward(*values.back()));
        const Matrix &out = *values.back();
        Matrix error(out.rows(), out.cols()), loss(1, 1);
        loss_kernel<<<1, 64>>>(loss.data(), error.data(), out.data(), out.rows(), out.cols());
        const Matrix *propagated = &error;
        for (int l = static_cast<int>(layers_.size()) - 1; l >= 0; --l)
            propagated = &layers_[l]->backward(*values[l], *propagated, rate);
        float value;
        loss.copy_to(&value);
        return value;
    }

private:
    std::vector<std::unique_ptr<Layer>> layers_;
};
} // namespace nn

void train(const float *x, float *weights, float *losses, int batch, int epochs)
{
    nn::Network network;
    network.add<nn::Dense<nn::Tanh>>(batch, 4, 5);
    network.add<nn::Dense<nn::Softplus>>(batch, 5, 4);
    network.add<nn::Dense<nn::Identity>>(batch, 4, 2);
    network.load(weights);
    nn::Matrix input(batch, 4);
    input.copy_from(x);
    for (int e = 0; e < epochs; ++e)
        losses[e] = network.step(input, 0.2f);
    network.store(weights);
}

int main(int argc, char **argv)
{
    try {
    const int batch = argc > 1 ? std::stoi(argv[1]) : 16;
    float scale = 0.4f;
    std::vector<float> x(batch * 4), w(63), losses(3);
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = std::cos(0.7f * i);
    for (size_t i = 0; i < w.size(); ++i)
        w[i] = scale * std::sin(1.3f * i);
    train(x.data(), w.data(), losses.data(), batch, 3);
    for (float l : losses)
        std::printf("loss %.6f\n", l);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
