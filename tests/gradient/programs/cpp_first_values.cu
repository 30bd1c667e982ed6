/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [16], random_uniform = 1, low = 0.3, high = 1.2 }
y = { zeros = [12] }
w = 0.7
n = 3
---*/
// Objects at file scope and static ones in functions, whose first values the program computes; what they register.
#include <cmath>
#include <vector>
#include <functional>
#include <string>
struct Config {
    int steps = 3;
    double dt;
    explicit Config(double t) : dt(t) {}
};
static Config config(0.25);
std::vector<double> weights = {0.5, 1.5, 2.5};
static const double two_pi = 2.0 * acos(-1.0);
double doubled = 2 * two_pi;
class Buffer {
    double *p_;
    int n_;
public:
    explicit Buffer(int n) : p_(new double[n]), n_(n) { for (int i = 0; i < n; i++) p_[i] = 1 + i; }
    ~Buffer() { delete[] p_; }
    Buffer(const Buffer &) = delete;
    double &operator[](int i) { return p_[i]; }
    int size() const { return n_; }
};
Buffer scratch(4);
Config table[2] = {Config(1.5), Config(2.5)};
struct Counter {
    int calls = 0;
    double total = 0;
    static Counter &instance() { static Counter only; return only; }
    void add(double v) { calls++; total += v; }
};
static double weighted(double v)
{
    static std::vector<double> seen(2, 1.5);
    static const Config own(v > 0 ? 0.5 : 2.0);
    static Config first(config.dt * 2);
    if (Counter::instance().calls == 0)
        seen[1] = 1.5;
    seen[Counter::instance().calls % 2] = v;
    Counter::instance().add(v);
    double sum = 0;
    for (double s : seen)
        sum += s * s * own.dt;
    return sum * first.dt;
}
using Law = std::function<double(double)>;
class Laws {
    std::vector<Law> laws_;
    Laws() = default;

public:
    std::string names = "laws";
    static Laws &all()
    {
        static Laws only;
        return only;
    }
    bool add(const char *name, Law law)
    {
        laws_.push_back(law);
        names += name;
        return true;
    }
    double sum(double v) const
    {
        double s = 0;
        for (const auto &law : laws_)
            s = 0.5 * s + law(v);
        return s;
    }
};
static bool has_sine = Laws::all().add(" sine", [](double v) { return sin(v); });
struct Registered {
    Registered(const char *name, Law law) { Laws::all().add(name, law); }
};
static Registered cube(" cube", [](double v) { return v * v * v; });

void run(double *x, double *y, double w, int n)
{
    config.dt = 0.25;
    weights.resize(3);
    for (int k = 0; k < 4; k++)
        scratch[k] = 1 + k;
    Counter::instance() = Counter();
    for (int k = 0; k < config.steps; k++) {
        scratch[k] *= x[k] * w;
        y[k] = weights[k] * scratch[k] + config.dt * x[k] * two_pi + doubled * table[k % 2].dt;
        config.dt *= 1.5;
    }
    for (int i = 0; i < n; i++)
        y[3] += weighted(x[i] * w);
    y[4] = Counter::instance().total * Counter::instance().calls;
    weights.push_back(w);
    y[5] = weights.back() * weights.size();
    y[6] = Laws::all().sum(x[6]) * Laws::all().names.size();
}
