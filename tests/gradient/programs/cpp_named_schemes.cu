/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [11] }
x = { shape = [11], random = 1 }
n = 11
---*/
// Schemes by name: pointers to functions and std::function in maps that lists fill; what is kept of earlier steps in a
// deque; texts without a name that are printed; a file that is asked whether it works.
#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

__global__ void scale(const double *x, double *y, int n, double s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i];
}
__global__ void square(const double *x, double *y, int n, double s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = s * x[i] * x[i];
}
typedef void (*Scheme)(const double *, double *, int, double);
static void linear(const double *x, double *y, int n, double s) { scale<<<(n + 3) / 4, 4>>>(x, y, n, s); }
static void quadratic(const double *x, double *y, int n, double s) { square<<<(n + 3) / 4, 4>>>(x, y, n, s); }

static std::string file(const std::string &prefix, int step)
{
    std::ostringstream name;
    name << prefix << "_" << std::setw(4) << std::setfill('0') << step << ".csv";
    return name.str();
}

void run(double *y, const double *x, int n)
{
    const std::map<std::string, Scheme> schemes = {
        {"linear", linear},
        {"quadratic", quadratic},
        {"cubic", [](const double *x, double *y, int n, double s) { scale<<<(n + 3) / 4, 4>>>(x, y, n, s * s * s); }},
    };
    const double base = 1.5;
    const std::map<std::string, std::function<double(double)>> weights = {
        {"root", [](double v) { return std::sqrt(v); }},
        {"base", [base](double v) { return base + v; }},
    };
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
    std::deque<double> earlier;
    const char *order[] = {"quadratic", "linear", "cubic"};
    for (int step = 0; step < 3; ++step) {
        auto found = schemes.find(order[step]);
        if (found == schemes.end())
            continue;
        const double weight = weights.at(step == 1 ? "root" : "base")(step + 1.0);
        found->second(a, b, n, weight);
        double *held = a;
        a = b;
        b = held;
        earlier.push_back(weight);
        if (earlier.size() > 2)
            earlier.pop_front();
        std::cout << "wrote " << file("run", step) << " " << std::to_string(step) << std::endl;
    }
    std::ofstream out("/dev/null");
    if (!out.is_open()) {
        std::cerr << "no file" << std::endl;
        return;
    }
    out << std::setprecision(12) << earlier.front() << "\n";
    cudaMemcpy(y, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        y[i] *= earlier.front();
    cudaFree(a);
    cudaFree(b);
}
