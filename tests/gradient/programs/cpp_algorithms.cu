/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [10] }
x = { shape = [10], random_uniform = 1, low = 0.5, high = 1.5 }
n = 10
---*/
// Algorithms of the library over vectors and arrays: sums, products, scans, copies; sorting of what has no derivative.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

struct Weight {
    double scale;
    double operator()(double a, double b) const { return scale * a * b; }
};

static std::tuple<double, int> largest(const std::vector<double> &v)
{
    auto at = std::max_element(v.begin(), v.end());
    return std::make_tuple(*at, (int)(at - v.begin()));
}

void model(double *y, const double *x, int n)
{
    std::vector<double> a(x, x + n), b(n), c(n);
    std::transform(a.begin(), a.end(), b.begin(), [](double v) { return v * v + 1.0; });
    std::transform(a.begin(), a.end(), b.begin(), c.begin(), Weight{0.5});
    double sum = std::accumulate(a.begin(), a.end(), 0.25);
    double product = std::accumulate(x, x + 4, 1.0, std::multiplies<double>());
    double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    double worst = std::inner_product(a.begin(), a.end(), c.begin(), 0.0, [](double p, double q) { return std::max(p, q); },
                                      std::minus<>());
    double energy = std::transform_reduce(c.begin(), c.end(), 0.0, std::plus<double>(), [sum](double v) { return v * sum; });
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int i, int j) { return i * 7 % n < j * 7 % n; });
    std::partial_sum(a.begin(), a.end(), a.begin());
    std::array<double, 3> weights;
    std::fill(weights.begin(), weights.end(), x[3]);
    std::for_each(b.begin(), b.end(), [&](double &v) { v *= weights[1]; });
    std::reverse(c.begin(), c.end());
    std::exclusive_scan(c.begin(), c.end(), c.begin(), x[1]);
    auto top = largest(b);
    double second;
    int place;
    std::tie(second, place) = largest(c);
    for (int i = 0; i < n; ++i)
        y[i] = a[order[i]] + b[i] * c[i] + std::get<0>(top) * (i == std::get<1>(top));
    y[0] += product * dot + worst * second;
    y[1] += energy + std::clamp(x[place % n], 0.75, 1.25);
}
