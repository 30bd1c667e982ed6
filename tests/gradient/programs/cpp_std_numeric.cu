/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [31], random = 1 }
w = { shape = [31], random_uniform = 2, low = 0.5, high = 1.5 }
y = { zeros = [60] }
n = 31
---*/
// The numeric algorithms of the C++ library in their variants: with operations, over pointers, vectors, lists, in place.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

struct Norm {
    double power;
    double operator()(double sum, double v) const { return sum + std::pow(std::fabs(v), power); }
};

void model(double *y, const double *x, const double *w, int n)
{
    std::vector<double> a(x, x + n), b(w, w + n), c(n);
    y[0] = std::accumulate(a.begin(), a.end(), 0.0);
    y[1] = std::accumulate(b.cbegin(), b.cend(), 1.0, std::multiplies<double>());
    y[2] = std::accumulate(x, x + n, 0.25, Norm{3.0});
    y[3] = std::accumulate(a.begin() + 3, a.end() - 2, 0.0, [&](double s, double v) { return 0.9 * s + v * b[0]; });
    y[4] = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    y[5] = std::inner_product(x, x + n, w, 1.5, std::plus<>(), [](double p, double q) { return (p - q) * (p - q); });
    y[6] = std::transform_reduce(a.begin(), a.end(), b.begin(), 0.5);
    y[7] = std::transform_reduce(b.begin(), b.end(), 0.0, std::plus<double>{}, [](double v) { return std::sqrt(v); });
    y[8] = std::reduce(b.begin(), b.end());
    std::transform(a.begin(), a.end(), b.begin(), c.begin(), std::multiplies<double>());
    std::transform(c.begin(), c.end(), c.begin(), std::negate<double>());
    std::transform(c.begin(), c.end(), c.begin(), [k = b[1]](double v) -> double { return k * v + 1.0; });
    std::partial_sum(c.begin(), c.end(), c.begin());
    y[9] = c.back();
    std::adjacent_difference(b.begin(), b.end(), c.begin());
    y[10] = *std::max_element(c.begin(), c.end()) - *std::min_element(c.begin() + 1, c.end(), std::less<double>());
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&a](int i, int j) { return a[i] > a[j]; });
    for (int i = 0; i < 10; ++i)
        y[11 + i] = a[order[i]] * b[order[(i + 1) % n]];
    std::exclusive_scan(a.begin(), a.end(), c.begin(), 0.5);
    std::inclusive_scan(b.begin(), b.end(), b.begin(), std::multiplies<double>());
    y[22] = c[n - 1] * b[n - 1];
    std::for_each(a.begin(), a.end(), [total = 0.0, y](double v) mutable { total += v * v; y[23] = total; });
    std::array<double, 3> mean{};
    for (int i = 0; i < n; ++i)
        mean[i % mean.size()] += a[i];
    y[24] = std::accumulate(mean.begin(), mean.end(), 0.0, [](double s, double m) { return s + m * m * m; });
    std::replace_if(a.begin(), a.end(), [](double v) { return v < -1.0; }, 7.0);
    std::fill_n(b.begin(), 4, a[1]);
    y[25] = std::accumulate(a.begin(), a.end(), 0.0) * std::accumulate(b.begin(), b.end(), 0.0);
    std::generate(c.begin(), c.end(), [v = a[0]]() mutable { return v *= 0.5; });
    y[26] = c[3];
    y[27] = std::clamp(a[5], -0.5, 0.5) + std::hypot(a[3], a[4]);
}
