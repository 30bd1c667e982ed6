/*---
function = "wave"
wrt = ["u0", "c"]
of = ["record"]
[inputs]
record = { zeros = [6] }
u0 = { shape = [20], random = 1 }
c = { shape = [20], random_uniform = 2, low = 0.2, high = 0.6 }
n = 20
steps = 6
---*/
// A simulation as a class hierarchy without virtual functions: a field, boundaries as policies, a recorder by reference.
namespace sim {

class Field {
public:
    void create(int n)
    {
        n_ = n;
        for (auto &level : levels_) {
            cudaMalloc(&level, n * sizeof(double));
            cudaMemset(level, 0, n * sizeof(double));
        }
    }
    void destroy()
    {
        for (double *level : levels_)
            cudaFree(level);
    }
    double *level(int age) { return levels_[(first_ + age) % 3]; }
    const double *level(int age) const { return levels_[(first_ + age) % 3]; }
    void rotate() { first_ = (first_ + 2) % 3; }
    int size() const { return n_; }

protected:
    double *levels_[3] = {nullptr, nullptr, nullptr};
    int first_ = 0, n_ = 0;
};

struct Reflecting {
    __device__ static double outside(const double *u, int i, int n) { return i < 0 ? u[0] : u[n - 1]; }
};
struct Absorbing {
    __device__ static double outside(const double *, int, int) { return 0.0; }
};

template <class Left, class Right> __global__ void advance(double *next, const double *now, const double *before, const double *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const double left = i > 0 ? now[i - 1] : Left::outside(now, i - 1, n);
        const double right = i < n - 1 ? now[i + 1] : Right::outside(now, i + 1, n);
        next[i] = 2.0 * now[i] - before[i] + c[i] * c[i] * (left - 2.0 * now[i] + right);
    }
}

template <class Left, class Right = Left> class Wave : public Field {
public:
    Wave(int n, const double *speed) : speed_(speed) { create(n); }
    template <class Recorder> void run(int steps, Recorder &&recorder)
    {
        for (int s = 0; s < steps; ++s) {
            advance<Left, Right><<<(n_ + 7) / 8, 8>>>(level(2), level(0), level(1), speed_, n_);
            rotate();
            recorder(s, static_cast<const Wave &>(*this));
        }
    }

private:
    const double *speed_;
};

}  // namespace sim

void wave(double *record, const double *u0, const double *c, int n, int steps)
{
    double *speed;
    cudaMalloc(&speed, n * sizeof(double));
    cudaMemcpy(speed, c, n * sizeof(double), cudaMemcpyHostToDevice);
    sim::Wave<sim::Reflecting, sim::Absorbing> wave(n, speed);
    cudaMemcpy(wave.level(0), u0, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(wave.level(1), u0, n * sizeof(double), cudaMemcpyHostToDevice);
    wave.run(steps, [&](int s, const auto &w) {
        cudaMemcpy(record + s, w.level(0) + w.size() / 3, sizeof(double), cudaMemcpyDeviceToHost);
    });
    wave.destroy();
    cudaFree(speed);
}
