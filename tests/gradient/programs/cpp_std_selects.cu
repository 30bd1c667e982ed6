/*---
function = "model"
wrt = ["x"]
[inputs]
x = { shape = [11], random_uniform = 1, low = 0.2, high = 1.4 }
n = 11
---*/
// Of <algorithm>, what selects, erases and orders by the values; extremes of lists of numbers.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

double model(const double *x, int n)
{
    std::vector<double> large, others(x, x + n);
    std::copy_if(x, x + n, std::back_inserter(large), [](double a) { return a > 0.7; });
    others.erase(std::remove_if(others.begin(), others.end(), [](double a) { return a > 0.7; }), others.end());
    std::nth_element(others.begin(), others.begin() + 1, others.end());
    std::rotate(large.begin(), large.begin() + 2, large.end());
    std::vector<int> order(large.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return large[a] < large[b]; });
    auto most = std::max_element(large.begin(), large.end());
    auto least = std::min_element(large.begin(), large.end(), [](double a, double b) { return a * a < b * b; });
    auto ends = std::minmax_element(large.begin(), large.end());
    *most *= *least;
    double top = std::max({large[0], large[1], 2.0 * others[0]});
    auto [low, high] = std::minmax(others[0], large[0]);
    auto found = std::find_if(large.begin(), large.end(), [&](double a) { return a < *least * 1.5; });
    return large[order[0]] * others[1] + *ends.first * top + low * high * high + *found
        + std::count(order.begin(), order.end(), 1) * large[0];
}
