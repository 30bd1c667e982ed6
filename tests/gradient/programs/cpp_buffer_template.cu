/*---
function = "model"
wrt = ["x", "rate"]
of = ["y"]
[inputs]
y = { zeros = [13] }
x = { shape = [13], random_uniform = 1, low = 0.5, high = 1.5 }
rate = 0.3
n = 13
[[cases]]
name = "through"
inputs = { stop = 7 }
[[cases]]
name = "returns-early"
inputs = { stop = 1 }
[[cases]]
name = "breaks"
inputs = { stop = 3 }
---*/
// Buffers of a class template: members of other classes, temporaries, parameters by value, early returns, breaks, scopes
// with the same names, references that keep what they are given.
template <class T> class Buffer {
public:
    Buffer(const T *host, size_t n) : Buffer(n) { cudaMemcpy(data_, host, n * sizeof(T), cudaMemcpyHostToDevice); }
    explicit Buffer(size_t n) : size_(n) { cudaMalloc((void **)&data_, n * sizeof(T)); }
    Buffer(const Buffer &other) : size_(other.size_)
    {
        cudaMalloc((void **)&data_, size_ * sizeof(T));
        cudaMemcpy(data_, other.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    }
    Buffer(Buffer &&other) : data_(other.data_), size_(other.size_)
    {
        other.data_ = nullptr;
        other.size_ = 0;
    }
    Buffer &operator=(Buffer other)
    {
        swap(other);
        return *this;
    }
    ~Buffer() { cudaFree(data_); }
    void swap(Buffer &other)
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }
    T *get() const { return data_; }
    size_t size() const { return size_; }

private:
    T *data_ = nullptr;
    size_t size_;
};

struct Pair {
    Buffer<double> now, next;
    double rate;
    Pair(const double *x, size_t n, double r) : now(x, n), next(n), rate(r) {}
};

__global__ void grow(double *out, const double *in, double rate, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + rate * in[i] * in[n - 1 - i];
}

static void step(Pair &p)
{
    grow<<<2, 8>>>(p.next.get(), p.now.get(), p.rate, p.now.size());
    p.now.swap(p.next);
}

static double first(const Buffer<double> &b)
{
    double v;
    cudaMemcpy(&v, b.get(), sizeof(double), cudaMemcpyDeviceToHost);
    return v;
}

static Buffer<double> grown(Buffer<double> given, double rate)
{
    Buffer<double> out(given.size());
    grow<<<2, 8>>>(out.get(), given.get(), rate, given.size());
    if (rate > 10.0)
        return given;
    return out;
}

static void run(double *y, const double *x, double rate, int n, int stop)
{
    Pair p(x, n, rate);
    for (int i = 0; i < 5; ++i) {
        Buffer<double> copy = p.now;
        if (stop == 1 && i == 2) {
            Buffer<double> copy(p.next);
            cudaMemcpy(y, copy.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
            return;
        }
        step(p);
        if (stop == 3 && i == stop)
            break;
        if (i % 2)
            continue;
        grow<<<2, 8>>>(p.now.get(), copy.get(), 0.5 * rate, n);
    }
    const Buffer<double> &kept = grown(p.now, rate);
    Pair other = p;
    other.rate = first(Buffer<double>(x + 1, n - 1)) * first(kept);
    p = other;
    step(p);
    p.now = grown(std::move(p.now), 0.1);
    cudaMemcpy(y, p.now.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
    y[0] += first(grown(Buffer<double>(x, n), p.rate)) * other.rate;
}

void model(double *y, const double *x, double rate, int n, int stop)
{
    run(y, x, rate, n, stop);
}
