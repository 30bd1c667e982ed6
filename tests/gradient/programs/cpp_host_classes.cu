/*---
function = "model"
wrt = ["x", "rate"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random_uniform = 1, low = 0.5, high = 1.5 }
rate = 0.3
n = 12
---*/
// Classes on the host: constructors with defaults, methods that change members, references, range-for, lambdas by
// reference, new and delete, default arguments, casts.
class Accumulator {
public:
    explicit Accumulator(double start = 0.25) : sum(start), count(0) {}
    void add(double v, double weight = 1.0)
    {
        sum += weight * v;
        ++count;
    }
    double mean() const { return sum / count; }
    double &value() { return sum; }

private:
    double sum;
    int count;
};

struct Settings {
    double rate = 0.1;
    int steps = 3;
    bool square = true;
};

static double grow(double v, const Settings &s)
{
    for (int i = 0; i < s.steps; ++i)
        v += s.rate * (s.square ? v * v : v);
    return v;
}

static void fill(double *y, const double *x, int n, Settings s)
{
    double *copy = new double[n];
    for (int i = 0; i < n; ++i)
        copy[i] = grow(x[i], s);
    Accumulator all, weighted(0.5);
    double weights[3] = {0.2, 0.3, 0.5};
    for (const double &w : weights)
        all.add(w * copy[0]);
    for (int i = 0; i < n; ++i) {
        all.add(copy[i]);
        weighted.add(copy[i], static_cast<double>(i) / n);
    }
    double total = 0.0;
    auto gather = [&](int i) { total += copy[i] * all.mean(); };
    for (int i = 0; i < n; i += 2)
        gather(i);
    weighted.value() *= 2.0;
    for (int i = 0; i < n; ++i)
        y[i] = copy[i] * weighted.mean() + total;
    delete[] copy;
}

void model(double *y, const double *x, double rate, int n)
{
    Settings s;
    s.rate = rate;
    Settings plain{};
    plain.square = false;
    s.steps = plain.steps - 1;
    fill(y, x, n, s);
}
