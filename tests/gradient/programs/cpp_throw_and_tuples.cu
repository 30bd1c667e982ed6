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
// What is thrown ends the program, as nothing catches it; parts of tuples bound to names.
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

static double scaled(double v, int n)
{
    if (n == 0) throw n;
    return v * 3;
}

void f(double *y, const double *x, int n)
{
    if (!y)
        throw std::invalid_argument("no memory");
    for (int i = 0; i < n; ++i) {
        const auto [square, sine, k] = parts(x[i], i);
        auto both = std::make_tuple(square, sine);
        auto &[a, b] = both;
        a *= b;
        y[k] = scaled(a, n);
    }
}
