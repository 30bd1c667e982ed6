/*---
function = "f"
wrt = ["x", "a"]
of = ["y"]
[inputs]
x = { shape = [37], random_uniform = 1, low = 0.5, high = 1.5 }
y = { shape = [37], random_uniform = 2, low = -1.0, high = 1.0 }
n = 37
a = 0.7
[[cases]]
name = "no step"
inputs = { steps = 0 }
[[cases]]
name = "one step"
inputs = { steps = 1 }
[[cases]]
name = "left early"
inputs = { steps = 3 }
---*/
// An object on the heap that launches at its end, also where a loop that has an owner of its own is left by a return.
#include <memory>

__global__ void add(double *y, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i] * x[i];
}

struct Buffer {
    double *p;
    explicit Buffer(int n)
    {
        cudaMalloc(&p, n * sizeof(double));
        cudaMemset(p, 0, n * sizeof(double));
    }
    ~Buffer() { cudaFree(p); }
};

struct Sum {
    Buffer sum;
    double *y;
    const double *x;
    int n;
    double a;
    Sum(double *y, const double *x, int n, double a) : sum(n), y(y), x(x), n(n), a(a)
    {
        add<<<(n + 31) / 32, 32>>>(sum.p, x, a, n);
    }
    ~Sum() { add<<<(n + 31) / 32, 32>>>(y, sum.p, a, n); }
};

struct Part {
    Buffer b;
    Part(const double *x, int n, double a) : b(n) { add<<<(n + 31) / 32, 32>>>(b.p, x, a, n); }
};

void f(double *y, const double *x, int n, double a, int steps)
{
    std::unique_ptr<Sum> sum(new Sum(y, x, n, a));
    for (int k = 0;; ++k) {
        Part part(x, n, a * k);
        if (k >= steps) break;
        if (k == 1) return;
        add<<<(n + 31) / 32, 32>>>(y, part.b.p, a, n);
    }
    add<<<(n + 31) / 32, 32>>>(y, x, 2 * a, n);
}
