/*---
function = "solve"
wrt = ["b", "shift"]
of = ["x"]
[inputs]
x = { zeros = [17] }
b = { shape = [17], random = 8 }
shift = 3.1
n = 17
---*/
// A solver as a class on the host: static members, enum class, methods that launch kernels, lambdas that capture this.
enum class Norm { L2, Max };

class JacobiSolver {
public:
    static constexpr int kThreads = 8;
    static constexpr double kWeights[3] = {0.5, 0.3, 0.2};
    inline static int launches_per_step = 1;

    JacobiSolver(int size, double diagonal) : n_(size), shift_(diagonal)
    {
        cudaMalloc(&x_, bytes());
        cudaMalloc(&next_, bytes());
        cudaMalloc(&b_, bytes());
        cudaMemset(x_, 0, bytes());
    }
    void load(const double *b) { cudaMemcpy(b_, b, bytes(), cudaMemcpyHostToDevice); }
    void run(int sweeps);
    void store(double *x) const { cudaMemcpy(x, x_, bytes(), cudaMemcpyDeviceToHost); }
    void release()
    {
        for (double *p : {x_, next_, b_})
            cudaFree(p);
    }
    static int blocks(int n) { return (n + kThreads - 1) / kThreads; }

private:
    size_t bytes() const { return static_cast<size_t>(n_) * sizeof(double); }
    int n_ = 0;
    double shift_ = 1.0;
    double *x_ = nullptr, *next_ = nullptr, *b_ = nullptr;
    Norm norm_ = Norm::L2;
};

__global__ void sweep(double *next, const double *x, const double *b, double shift, double weight, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double off = 0.0;
    if (i > 0)
        off += x[i - 1];
    if (i + 1 < n)
        off += x[i + 1];
    next[i] = (1.0 - weight) * x[i] + weight * (b[i] + off) / shift;
}

void JacobiSolver::run(int sweeps)
{
    auto once = [this](double weight) {
        sweep<<<blocks(n_), kThreads>>>(next_, x_, b_, shift_, weight, n_);
        double *held = x_;
        x_ = next_;
        next_ = held;
    };
    for (int s = 0; s < sweeps; ++s)
        once(norm_ == Norm::L2 ? 1.0 - kWeights[s % 3] : 1.0);
}

void solve(double *x, const double *b, double shift, int n)
{
    JacobiSolver solver(n, shift);
    solver.load(b);
    solver.run(5 * JacobiSolver::launches_per_step);
    solver.store(x);
    solver.release();
}
