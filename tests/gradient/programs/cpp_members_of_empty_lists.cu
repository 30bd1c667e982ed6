/*---
function = "train"
wrt = ["x", "rate"]
of = ["x"]
[inputs]
x = { shape = [12], random = 1 }
rate = 0.3
n = 12
---*/
// Members that an empty list makes, and constructors, destructors and methods that stand behind their class.
#include <string>
#include <vector>

struct Problem {
    int n;
    std::vector<double> targets;
    std::string name;
    double rate;
};

class Layer {
  public:
    Layer(int n, double first);
    ~Layer();
    void set(const std::vector<double> &values);
    double *on_device() { return output; }
    int size() const;

  private:
    int n;
    double *output;
};

Layer::Layer(int n, double first) : n(n), output(nullptr)
{
    std::vector<double> values(n, first);
    cudaMalloc(&output, n * sizeof(double));
    set(values);
}
Layer::~Layer() { cudaFree(output); }
void Layer::set(const std::vector<double> &values) { cudaMemcpy(output, values.data(), n * sizeof(double), cudaMemcpyHostToDevice); }
int Layer::size() const { return n; }

__global__ void step(double *out, const double *in, double rate, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += rate * tanh(in[i]) * out[(i + n) % n];
}

void train(double *x, double rate, int n)
{
    Problem problem{n, {}, {}, rate};
    for (int i = 0; i < n; i++)
        problem.targets.push_back(x[i] * x[i]);
    Layer input = Layer(n, 0.5), output(problem.n, rate);
    input.set(problem.targets);
    for (int k = 0; k < 3; k++)
        step<<<(n + 7) / 8, 8>>>(output.on_device(), input.on_device(), problem.rate, output.size());
    cudaMemcpy(x, output.on_device(), n * sizeof(double), cudaMemcpyDeviceToHost);
}
