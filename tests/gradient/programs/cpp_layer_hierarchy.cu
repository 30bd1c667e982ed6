/*---
function = "train_step"
wrt = ["w1", "w2", "x"]
of = ["out", "loss"]
[inputs]
x = { shape = [18], random = 1 }
w1 = { shape = [15], random = 2 }
w2 = { shape = [10], random = 3 }
out = { zeros = [12] }
loss = { zeros = [1] }
batch = 6
---*/
// Layers of a network as class templates that derive from a class template: weights in the base, what is done with the
// sum in a functor that derives from another instance, a virtual function that the base's loop calls.
template <class T> struct Identity {
    T slope;
    __host__ __device__ explicit Identity(T s = T(1)) : slope(s) {}
    __host__ __device__ T line(T v) const { return slope * v; }
};
template <class T> struct Leaky : Identity<T> {
    using Identity<T>::Identity;
    __host__ __device__ T operator()(T v) const { return v > T(0) ? v : this->line(v); }
};
template <class T> struct Squash : Identity<T> {
    T shift = T(0.1);
    __host__ __device__ explicit Squash(T s) : Identity<T>(s) {}
    __host__ __device__ T operator()(T v) const { return tanh(Identity<T>::line(v)) + shift; }
};

template <class T, class F>
__global__ void dense_kernel(const T *w, const T *x, T *y, int rows, int columns, int batch, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * batch)
        return;
    const int r = i % rows, b = i / rows;
    T sum = T(0);
    for (int c = 0; c < columns; ++c)
        sum += w[r * columns + c] * x[b * columns + c];
    y[i] = f(sum);
}

template <class T> class Layer {
public:
    Layer(int rows, int columns, int batch) : rows_(rows), columns_(columns), batch_(batch)
    {
        cudaMalloc(&weights_, rows * columns * sizeof(T));
        cudaMalloc(&result_, rows * batch * sizeof(T));
    }
    virtual ~Layer()
    {
        cudaFree(weights_);
        cudaFree(result_);
    }
    Layer(const Layer &) = delete;
    void load(const T *host) { cudaMemcpy(weights_, host, rows_ * columns_ * sizeof(T), cudaMemcpyHostToDevice); }
    const T *run(const T *input)
    {
        apply(input);
        return result_;
    }

protected:
    virtual void apply(const T *input) = 0;
    int blocks() const { return (rows_ * batch_ + 7) / 8; }
    T *weights_, *result_;
    int rows_, columns_, batch_;
};

template <class T, template <class> class F> class Dense : public Layer<T> {
    F<T> f_;

public:
    Dense(int rows, int columns, int batch, T slope) : Layer<T>(rows, columns, batch), f_(slope) {}

protected:
    void apply(const T *input) override
    {
        dense_kernel<<<this->blocks(), 8>>>(this->weights_, input, this->result_, this->rows_, this->columns_,
                                            this->batch_, f_);
    }
};

void train_step(double *w1, double *w2, double *x, double *out, double *loss, int batch)
{
    double *input;
    cudaMalloc(&input, 3 * batch * sizeof(double));
    cudaMemcpy(input, x, 3 * batch * sizeof(double), cudaMemcpyHostToDevice);
    Dense<double, Leaky> first(5, 3, batch, 0.2);
    Dense<double, Squash> second(2, 5, batch, 0.7);
    first.load(w1);
    second.load(w2);
    const double *hidden = first.run(input);
    cudaMemcpy(out, second.run(hidden), 2 * batch * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * batch; ++i)
        loss[0] += 0.5 * out[i] * out[i];
    cudaFree(input);
}
