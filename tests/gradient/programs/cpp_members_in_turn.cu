/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [6], random = 1 }
n = 6
---*/
// Loops over the addresses of members, in constructors, destructors and methods.
#include <cuda_runtime.h>
#include <vector>
struct Grid { double *d; int n; double w; };
__global__ void scale(double *d, double w, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) d[i] = d[i] * d[i] * w; }
class Pair {
public:
    explicit Pair(const double *x, int n)
    {
        int k = 1;
        for (auto *g : {&a_, &b_}) {
            g->n = n; g->w = k++;
            cudaMalloc(&g->d, n * sizeof(double));
            cudaMemcpy(g->d, x, n * sizeof(double), cudaMemcpyHostToDevice);
        }
    }
    ~Pair() { for (Grid *g : {&a_, &b_}) cudaFree(g->d); }
    double total()
    {
        double s = 0;
        for (auto *g : {&a_, &b_}) {
            scale<<<2, 4>>>(g->d, g->w, g->n);
            std::vector<double> h(g->n);
            cudaMemcpy(h.data(), g->d, g->n * sizeof(double), cudaMemcpyDeviceToHost);
            for (double v : h) s += v * v;
        }
        return s;
    }
private:
    Grid a_, b_;
};
double f(const double *x, int n) { Pair p(x, n); return p.total(); }
