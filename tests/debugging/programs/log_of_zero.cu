/*---
function = "entropy"
wrt = ["p"]
breaks = "value"
[right.inputs]
p = { shape = [12], random_uniform = 7, low = 0.1, high = 0.9 }
[inputs]
p = { values = [0.1, 0.2, 0.1, 0.3, 0.0, 0.1, 0.05, 0.15, 0.1, 0.2, 0.3, 0.4] }
n = 12
---*/
// 0 * log(0), on the host.
double entropy(const double *p, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        double information = log(p[i]); // breaks
        sum -= p[i] * information;
    }
    return sum;
}
