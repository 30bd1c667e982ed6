/*---
function = "run"
wrt = ["x", "rate"]
of = ["y"]
[inputs]
y = { zeros = [33] }
x = { shape = [33], random = 1 }
rate = 0.4
n = 33
[[cases]]
[[cases]]
inputs = { n = 5 }
---*/
// Texts decide what is computed, are passed on, and are printed.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

__global__ void decay(double *y, const double *x, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * exp(-rate * x[i] * x[i]);
}

__global__ void growth(double *y, const double *x, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + rate * sin(x[i]) * x[i];
}

class Model {
    std::string name_;

public:
    Model(const std::string &name) : name_(name) {}
    const std::string &name() const { return name_; }
    bool is(const char *other) const { return name_ == other; }
};

static void launch(const Model &model, double *y, const double *x, double rate, int n)
{
    if (model.is("decay-2"))
        decay<<<(n + 15) / 16, 16>>>(y, x, rate, n);
    else
        growth<<<(n + 15) / 16, 16>>>(y, x, rate, n);
}

void run(double *y, const double *x, double rate, int n)
{
    std::string kind = n > 20 ? "decay" : "growth";
    kind += "-" + std::to_string(2);
    Model model(kind);
    std::vector<double> half(x, x + n);
    double *d_x, *d_y;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMemcpy(d_x, half.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    launch(model, d_y, d_x, rate, n);
    launch(Model("growth"), d_x, d_y, rate, n);
    cudaMemcpy(y, d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    std::cout << "ran " << kind << " of " << kind.size() << " letters" << std::endl;
    cudaFree(d_x);
    cudaFree(d_y);
}
