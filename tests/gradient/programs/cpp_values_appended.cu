/*---
function = "appended"
wrt = ["x"]
[inputs]
x = { shape = [9], random_uniform = 1, low = 0.4, high = 1.6 }
n = 9
---*/
// Values that become another type where a vector takes them: sizes, floats of doubles, enumerators, null pointers.
#include <utility>
#include <vector>

enum class Kind { linear, square };
enum Rank { low = 2, high = 5 };

__global__ void scale(double *y, const float *factors, const int *of, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] *= factors[of[i]] * y[i];
}

double appended(const double *x, int n)
{
    std::vector<double> values(x, x + n);
    std::vector<float> factors;
    std::vector<int> of;
    std::vector<Kind> kinds;
    std::vector<double *> memory;
    for (int i = 0; i < 3; ++i) {
        factors.push_back(x[i] * x[i + 1]);
        factors.emplace_back(values[i]);
        kinds.push_back(i % 2 ? Kind::square : Kind::linear);
        memory.push_back(nullptr);
    }
    kinds.push_back(Kind::square);
    for (int i = 0; i < n; ++i)
        of.push_back(i % factors.size());
    of.push_back(factors.size());
    of.push_back(high);
    of.insert(of.begin(), low);
    of[1] = of[n + 1] - 1;

    double *y = nullptr;
    float *f;
    int *o;
    cudaMalloc(&y, n * sizeof(double));
    cudaMalloc(&f, factors.size() * sizeof(float));
    cudaMalloc(&o, of.size() * sizeof(int));
    memory[1] = y;
    cudaMemcpy(y, values.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(f, factors.data(), factors.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(o, of.data(), of.size() * sizeof(int), cudaMemcpyHostToDevice);
    scale<<<(n + 3) / 4, 4>>>(memory[1], f, o, n);
    cudaMemcpy(values.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(y);
    cudaFree(f);
    cudaFree(o);

    values.push_back(n);
    double kept = values[2];
    values.push_back(std::move(kept));
    double sum = 0.0;
    for (size_t i = 0; i < values.size(); ++i)
        sum += kinds[i % kinds.size()] == Kind::square ? values[i] * values[i] : values[i];
    return sum + of[n + 2];
}
