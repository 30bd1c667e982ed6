/*---
function = "simulate"
wrt = ["u", "nu"]
of = ["u"]
[inputs]
u = { shape = [13], random = 1 }
n = 13
steps = 3
nu = 0.2
verbose = 0
---*/
// Loggers, writers and reports that are given streams, and a text that decides something.
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

struct Stats {
    double mean = 0, largest = 0;
    void print(std::ostream &os) const { os << std::setw(12) << mean << std::setw(12) << largest << '\n'; }
};
std::ostream &operator<<(std::ostream &os, const Stats &s) { return os << "mean " << s.mean << ", largest " << s.largest; }

class Logger {
public:
    explicit Logger(std::ostream *os) : os_(os), lines_(0) {}
    template <class T> void log(const char *what, const T &value)
    {
        if (os_ != nullptr)
            *os_ << '[' << lines_ << "] " << what << ' ' << value << std::endl;
        ++lines_;
    }
    int lines() const { return lines_; }

private:
    std::ostream *os_;
    int lines_;
};

class Writer {
public:
    explicit Writer(const std::string &name) : out_(name) { out_ << std::scientific << std::setprecision(10) << "t,mean\n"; }
    bool row(double t, const Stats &s)
    {
        out_ << t << ',' << s.mean << '\n';
        return out_.good();
    }

private:
    std::ofstream out_;
};

__global__ void diffuse(double *v, const double *u, double nu, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double left = u[i > 0 ? i - 1 : 0], right = u[i < n - 1 ? i + 1 : n - 1];
    v[i] = u[i] + nu * (left - 2 * u[i] + right) * u[i];
}

static Stats measure(const std::vector<double> &u)
{
    Stats s;
    for (double x : u) {
        s.mean += x / u.size();
        s.largest = std::fmax(s.largest, x);
    }
    return s;
}

static std::string label(int step, const Stats &s)
{
    std::ostringstream text;
    text << "step_" << std::setw(3) << std::setfill('0') << step;
    s.print(text);
    return text.str().substr(0, 8);
}

void simulate(double *u, int n, int steps, double nu, int verbose)
{
    std::ostream &out = verbose > 0 ? std::cout : std::clog;
    std::ostringstream text;
    Logger logger(verbose > 0 ? &std::cout : nullptr), kept(&text);
    Writer writer("/dev/null");
    std::vector<double> host(u, u + n);
    double *a, *b, scale = 1;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int step = 0; step < steps; ++step) {
        diffuse<<<(n + 3) / 4, 4>>>(b, a, nu, n);
        std::swap(a, b);
        cudaMemcpy(host.data(), a, n * sizeof(double), cudaMemcpyDeviceToHost);
        const Stats s = measure(host);
        logger.log("stats", s);
        kept.log(label(step, s).c_str(), host.size());
        if (writer.row(step * 0.5, s))
            scale *= s.mean;
        if (verbose > 0)
            s.print(out);
    }
    if (text.str().find("step_002") != std::string::npos)
        scale *= 1 + text.str().size() * nu;
    for (int i = 0; i < n; ++i)
        u[i] = host[i] * scale + kept.lines();
    cudaFree(a);
    cudaFree(b);
}
