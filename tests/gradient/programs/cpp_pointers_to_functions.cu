/*---
function = "run"
wrt = ["x", "w"]
of = ["x", "y"]
[inputs]
x = { shape = [8], random_uniform = 1, low = 0.3, high = 1.2 }
y = { zeros = [3] }
w = 0.7
which = 1
[[cases]]
name = "other"
inputs = { which = 0 }
---*/
// Pointers to functions that are kept: in members, arrays, variables that change, parameters, memory of the device; to static
// methods, to kernels; null ones that are asked for.
#include <cmath>

typedef double (*law_t)(double, double);
__host__ __device__ double product(double a, double b) { return a * b; }
__host__ __device__ double wave(double a, double b) { return sin(a) * b; }
struct Laws {
    static __host__ __device__ double ratio(double a, double b) { return a / (1.0 + b * b); }
};

__device__ law_t chosen_law = wave;
__device__ law_t table[2] = {product, Laws::ratio};

__global__ void apply(double *x, double w, law_t given)
{
    const int i = threadIdx.x;
    x[i] = given(x[i], w) + table[i % 2](x[i], x[i]) * chosen_law(w, x[i]);
}
template <class T> __global__ void grow(T *x, T w) { x[threadIdx.x] *= w + threadIdx.x; }
template <class T> __global__ void shrink(T *x, T w) { x[threadIdx.x] /= w + 2; }

struct Stage {
    using kernel_t = void (*)(double *, double);
    kernel_t kernel;
    int threads;
    Stage(kernel_t k, int n) : kernel(k), threads(n) {}
    void run(double *x, double w) const { kernel<<<1, threads>>>(x, w); }
};

class Registry {
    struct Entry {
        const char *name;
        law_t law;
    };
    Entry entries_[4];
    int count_ = 0;

public:
    void add(const char *name, law_t law) { entries_[count_++] = {name, law}; }
    double all(double x, double w) const
    {
        double sum = 0;
        for (int i = 0; i < count_; i++)
            if (entries_[i].law)
                sum = sum * x + entries_[i].law(x, w);
        return sum;
    }
};

static const struct {
    const char *name;
    law_t law;
} laws[] = {{"product", product}, {"ratio", &Laws::ratio}};

static double twice(law_t law, double a, double b) { return law ? law(law(a, b), b) : -a; }

void run(double *x, double *y, double w, int which)
{
    double *d;
    cudaMalloc(&d, 8 * sizeof(double));
    cudaMemcpy(d, x, 8 * sizeof(double), cudaMemcpyHostToDevice);
    law_t on_device;
    cudaMemcpyFromSymbol(&on_device, table, sizeof(law_t), sizeof(law_t));
    apply<<<1, 8>>>(d, w, on_device);
    apply<<<1, 8>>>(d, w, which ? product : wave);
    const Stage stages[2] = {Stage(grow<double>, 8), Stage(shrink<double>, 5)};
    for (const Stage &stage : stages)
        stage.run(d, w);
    cudaMemcpy(x, d, 8 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);

    Registry registry;
    registry.add("wave", wave);
    registry.add("none", nullptr);
    registry.add("ratio", Laws::ratio);
    y[0] = registry.all(x[0], w);

    law_t law = product;
    if (which)
        law = wave;
    y[1] = law(x[1], w) + (*law)(w, x[2]) + (law == wave);

    for (int i = 0; i < 2; i++)
        y[2] += laws[i].law(x[3 + i], w) + twice(laws[1 - i].law, x[6], w) + twice(i ? law : nullptr, x[7], w);
}
