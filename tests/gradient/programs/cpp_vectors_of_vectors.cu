/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [10] }
x = { shape = [10], random_uniform = 1, low = 0.5, high = 1.5 }
n = 10
---*/
// Vectors of vectors.
#include <vector>
void model(double *y, const double *x, int n)
{
    std::vector<std::vector<double>> rows(3, std::vector<double>(n));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            rows[k][i] = x[i] * x[(i + k) % n];
    for (int i = 0; i < n; ++i)
        y[i] = rows[0][i] * rows[2][n - 1 - i] + rows[1][i];
}
