/*---
function = "loss_of"
wrt = ["w1", "w2", "x"]
of = ["out", "loss"]
[inputs]
x = { shape = [12], random = 1 }
w1 = { shape = [20], random = 2 }
w2 = { shape = [10], random = 3 }
out = { zeros = [6] }
loss = { zeros = [1] }
batch = 3
---*/
// A network as programs have it: layers of several classes behind owning pointers of their base, in a vector.
#include <memory>
#include <vector>

__global__ void products(const double *w, const double *x, double *y, int rows, int columns, int batch)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * batch)
        return;
    double sum = 0.0;
    for (int c = 0; c < columns; ++c)
        sum += w[(i % rows) * columns + c] * x[(i / rows) * columns + c];
    y[i] = sum;
}
__global__ void squash(const double *x, double *y, double k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = tanh(k * x[i]);
}

class Layer {
public:
    virtual ~Layer() {}
    virtual const double *forward(const double *x, int batch) = 0;
    virtual int width() const = 0;
};
class Dense : public Layer {
public:
    Dense(const double *host, int rows, int columns, int batch) : rows_(rows), columns_(columns)
    {
        cudaMalloc(&w_, rows * columns * sizeof(double));
        cudaMalloc(&y_, rows * batch * sizeof(double));
        cudaMemcpy(w_, host, rows * columns * sizeof(double), cudaMemcpyHostToDevice);
    }
    ~Dense() override
    {
        cudaFree(w_);
        cudaFree(y_);
    }
    const double *forward(const double *x, int batch) override
    {
        products<<<(rows_ * batch + 3) / 4, 4>>>(w_, x, y_, rows_, columns_, batch);
        return y_;
    }
    int width() const override { return rows_; }

private:
    double *w_, *y_;
    int rows_, columns_;
};
class Tanh : public Layer {
public:
    Tanh(double k, int width, int batch) : k_(k), width_(width) { cudaMalloc(&y_, width * batch * sizeof(double)); }
    ~Tanh() override { cudaFree(y_); }
    const double *forward(const double *x, int batch) override
    {
        const int n = width_ * batch;
        squash<<<(n + 7) / 8, 8>>>(x, y_, k_, n);
        return y_;
    }
    int width() const override { return width_; }

private:
    double k_;
    double *y_;
    int width_;
};
class Network {
public:
    void add(std::unique_ptr<Layer> layer) { layers_.push_back(std::move(layer)); }
    const double *forward(const double *x, int batch)
    {
        for (auto &layer : layers_)
            x = layer->forward(x, batch);
        return x;
    }
    int width() const { return layers_[layers_.size() - 1]->width(); }

private:
    std::vector<std::unique_ptr<Layer>> layers_;
};

void loss_of(double *w1, double *w2, double *x, double *out, double *loss, int batch)
{
    double *input;
    cudaMalloc(&input, 4 * batch * sizeof(double));
    cudaMemcpy(input, x, 4 * batch * sizeof(double), cudaMemcpyHostToDevice);
    Network net;
    net.add(std::make_unique<Dense>(w1, 5, 4, batch));
    net.add(std::make_unique<Tanh>(0.8, 5, batch));
    net.add(std::make_unique<Dense>(w2, 2, 5, batch));
    const double *y = net.forward(input, batch);
    cudaMemcpy(out, y, net.width() * batch * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * batch; ++i)
        loss[0] += 0.5 * out[i] * out[i];
    cudaFree(input);
}
