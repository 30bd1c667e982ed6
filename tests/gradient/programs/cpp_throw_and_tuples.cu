/*---
function = "f"
wrt = ["x"]
of = ["y"]
reference = { x = "adj_y * 3 * (2 * x * np.sin(x) + x * x * np.cos(x))" }
[inputs]
y = { zeros = [7] }
x = { shape = [7], random = 4 }
n = 7
---*/
// What is thrown ends the program, also what a handler of a whole function would catch; parts of tuples bound to names.
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

static std::tuple<double, double, int> parts(double v, int k)
{
    if (k < 0)
        throw std::out_of_range("no element " + std::to_string(k));
    return {v * v, sin(v), k};
}

struct Factor {
    double value;
    explicit Factor(int n) try : value(n) {
        if (n > 1000)
            throw std::runtime_error("too many");
        value = 3;
    } catch (const std::exception &) {
        throw;
    }
};

static double scaled(double v, int n)
{
    if (n == 0) throw n;
    return v * Factor(n).value;
}

void f(double *y, const double *x, int n)
try {
    if (!y)
        throw std::invalid_argument("no memory");
    for (int i = 0; i < n; ++i) {
        const auto [square, sine, k] = parts(x[i], i);
        auto both = std::make_tuple(square, sine);
        static_assert(std::tuple_size<decltype(both)>::value == 2);
        auto &[a, b] = both;
        a *= b;
        y[k] = scaled(a, n);
    }
} catch (const std::invalid_argument &error) {
    y[0] = -1;
} catch (...) {
    throw;
}
