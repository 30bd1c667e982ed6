/*---
function = "train_loss"
wrt = ["x", "weights"]
[inputs]
x = { shape = [24], random = 1 }
target = { shape = [6], random = 2 }
weights = { shape = [41], random = 3 }
batch = 6
---*/
// A small network as classes: layers with policies, a model as a variadic list of layers, the loss on the host.
namespace nn {

struct Tanh {
    __device__ static double apply(double v) { return tanh(v); }
};
struct Softplus {
    __device__ static double apply(double v) { return log1p(exp(v)); }
};
struct Identity {
    __device__ static double apply(double v) { return v; }
};

template <int In, int Out, class Activation> struct Dense {
    static constexpr int in = In, out = Out, parameters = Out * (In + 1);
    __device__ static void forward(const double *w, const double (&x)[In], double (&y)[Out])
    {
        for (int o = 0; o < Out; ++o) {
            double sum = w[Out * In + o];
            for (int i = 0; i < In; ++i)
                sum += w[o * In + i] * x[i];
            y[o] = Activation::apply(sum);
        }
    }
};

template <class First, class... Rest> struct Sequential {
    static constexpr int in = First::in, out = Sequential<Rest...>::out;
    static constexpr int parameters = First::parameters + Sequential<Rest...>::parameters;
    __device__ static void forward(const double *w, const double (&x)[First::in], double (&y)[out])
    {
        double hidden[First::out];
        First::forward(w, x, hidden);
        Sequential<Rest...>::forward(w + First::parameters, hidden, y);
    }
};
template <class Last> struct Sequential<Last> : Last {};

template <class Net> __global__ void evaluate(double *loss, const double *x, const double *target, const double *w, int batch)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch)
        return;
    double in[Net::in], out[Net::out];
    for (int i = 0; i < Net::in; ++i)
        in[i] = x[b * Net::in + i];
    Net::forward(w, in, out);
    double error = 0.0;
    for (const double v : out)
        error += (v - target[b]) * (v - target[b]);
    loss[b] = error / Net::out;
}

template <class Net> class Trainer {
public:
    explicit Trainer(int n) : batch(n) { cudaMalloc(&loss, n * sizeof(double)); }
    double operator()(const double *x, const double *target, const double *w) const
    {
        static_assert(Net::parameters == 41, "as many as the caller gives");
        evaluate<Net><<<(batch + 3) / 4, 4>>>(loss, x, target, w, batch);
        auto *host = new double[batch];
        cudaMemcpy(host, loss, batch * sizeof(double), cudaMemcpyDeviceToHost);
        double sum{};
        for (int i = 0; i < batch; ++i)
            sum += host[i];
        delete[] host;
        return sum / batch;
    }
    void finish() { cudaFree(loss); }

private:
    int batch;
    double *loss = nullptr;
};

}  // namespace nn

using Net = nn::Sequential<nn::Dense<4, 3, nn::Tanh>, nn::Dense<3, 4, nn::Softplus>, nn::Dense<4, 2, nn::Identity>>;

double train_loss(const double *x, const double *target, const double *weights, int batch)
{
    double *d_x, *d_t, *d_w;
    cudaMalloc(&d_x, batch * Net::in * sizeof(double));
    cudaMalloc(&d_t, batch * sizeof(double));
    cudaMalloc(&d_w, Net::parameters * sizeof(double));
    cudaMemcpy(d_x, x, batch * Net::in * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_t, target, batch * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, weights, Net::parameters * sizeof(double), cudaMemcpyHostToDevice);
    nn::Trainer<Net> trainer(batch);
    const double loss = trainer(d_x, d_t, d_w);
    trainer.finish();
    cudaFree(d_x);
    cudaFree(d_t);
    cudaFree(d_w);
    return loss;
}
