/*---
function = "f"
wrt = ["x"]
[inputs]
x = 0.7
which = 1
[[cases]]
name = "other"
inputs = { which = 0 }
---*/
// Lambdas that capture nothing as pointers to functions: in variables that change, members, tables, arguments.
#include <cmath>
#include <vector>
typedef double (*law_t)(double);
static double apply(law_t law, double x) { return law(x) * x; }
static law_t chosen(int which)
{
    if (which)
        return [](double a) { return a * std::log(a); };
    return [](double a) { return 1.0 / a; };
}
struct Box {
    law_t law;
    int times;
    explicit Box(law_t l, int n = 1) : law(l), times(n) {}
    double operator()(double x) const
    {
        for (int i = 0; i < times; ++i)
            x = law(x);
        return x;
    }
};
__global__ void map(double *x, int n)
{
    law_t square = [](double a) { return a * a; };
    if (threadIdx.x % 2)
        square = [](double a) { return a * a * a; };
    if (threadIdx.x < n)
        x[threadIdx.x] = square(x[threadIdx.x]);
}
double f(double x, int which)
{
    law_t law = [](double a) { return a * a * a; };
    if (which)
        law = [](double a) { return std::sin(a); };
    Box box([](double a) { return std::exp(-a); }, 2);
    const auto cosine = [](double a) { return std::cos(a); };
    std::vector<law_t> table;
    table.push_back(cosine);
    table.push_back([](double a) noexcept { return 2 * a; });
    table.push_back(chosen(which));
    double s = law(x) + apply([](double a) { return std::cos(a); }, x) * apply(+[](double a) { return 2 * a * a; }, x);
    for (law_t t : table)
        s += t(s * s + 1.0);
    double h[5], *d;
    for (int i = 0; i < 5; ++i)
        h[i] = s / (i + 1);
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    map<<<1, 8>>>(d, 5);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return box(x) + h[0] + h[1] * h[4];
}
