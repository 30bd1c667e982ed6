/*---
function = "loss"
wrt = ["x", "p"]
[inputs]
x = { shape = [19], random = 1 }
p = { shape = [4], random = 2 }
n = 19
---*/
// Layers that share device memory with those behind them: std::shared_ptr with and without deleters, and std::weak_ptr.
#include <memory>
#include <vector>
struct DeviceArray {
    double *data;
    int n;
    explicit DeviceArray(int n)
        : n(n)
    {
        cudaMalloc(&data, n * sizeof(double));
    }
    ~DeviceArray() { cudaFree(data); }
    DeviceArray(const DeviceArray &) = delete;
};
__global__ void affine(const double *in, double *out, double a, double b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tanh(a * in[i] + b);
}
struct Returned {
    int *count;
    void operator()(double *p) const
    {
        cudaFreeHost(p);
        ++*count;
    }
};
class Layer
{
public:
    Layer(double a, double b)
        : a_(a)
        , b_(b)
    {
    }
    std::shared_ptr<DeviceArray> operator()(std::shared_ptr<DeviceArray> in)
    {
        input_ = in;
        auto out = std::make_shared<DeviceArray>(in->n);
        affine<<<(in->n + 7) / 8, 8>>>(in->data, out->data, a_, b_, in->n);
        last_ = out;
        return out;
    }
    double kept() const { return input_.use_count() + (last_.expired() ? 0.5 : 0.25) * a_; }
    std::shared_ptr<DeviceArray> last() const { return last_.lock(); }

private:
    double a_, b_;
    std::shared_ptr<DeviceArray> input_;
    std::weak_ptr<DeviceArray> last_;
};
double loss(const double *x, const double *p, int n)
{
    auto h = std::make_shared<DeviceArray>(n);
    cudaMemcpy(h->data, x, n * sizeof(double), cudaMemcpyHostToDevice);
    std::vector<Layer> net;
    net.emplace_back(p[0], p[1]);
    net.emplace_back(p[2], p[3]);
    for (auto &layer : net)
        h = layer(h);
    int returned = 0;
    double s = 0;
    {
        double *pinned;
        cudaMallocHost(&pinned, n * sizeof(double));
        std::shared_ptr<double> out(pinned, Returned{&returned}), same = out;
        std::shared_ptr<double[]> twice(new double[n], [](double *q) { delete[] q; });
        cudaMemcpy(out.get(), h->data, n * sizeof(double), cudaMemcpyDeviceToHost);
        out.reset();
        for (int i = 0; i < n; ++i)
            twice[i] = 2 * same.get()[i];
        for (int i = 0; i < n; ++i)
            s += twice[i] * twice[i];
    }
    if (net[1].last() == h)
        s += p[3];
    h = nullptr;
    for (const auto &layer : net)
        s += layer.kept();
    return s * returned;
}
