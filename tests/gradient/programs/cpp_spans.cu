/*---
function = "weights"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [24], random = 1 }
y = { zeros = [24] }
rows = 4
columns = 6
---*/
// Softmax of rows that are parts of memory that others own: std::span, its parts, and algorithms over them.
#include <cmath>
#include <span>
#include <numeric>
#include <algorithm>
static double log_sum_exp(std::span<const double> row)
{
    const double top = *std::max_element(row.begin(), row.end());
    double s = 0;
    for (double v : row)
        s += std::exp(v - top);
    return top + std::log(s);
}
static void softmax(std::span<const double> in, std::span<double> out)
{
    const double norm = log_sum_exp(in);
    std::transform(in.begin(), in.end(), out.begin(), [norm](double v) { return std::exp(v - norm); });
    out.front() *= 2.0;
    out[out.size() - 1] += out.back();
}
void weights(const double *x, double *y, int rows, int columns)
{
    std::span<const double> all(x, rows * columns);
    std::span<double> res{y, static_cast<std::size_t>(rows * columns)};
    for (int r = 0; r < rows; ++r)
        softmax(all.subspan(r * columns, columns), res.subspan(r * columns, columns));
    res.first(3)[1] = all.last(2)[0] * res[0];
}
