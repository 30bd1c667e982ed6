/*---
function = "norm"
wrt = ["x", "p"]
[inputs]
x = { shape = [12], random_uniform = 1, low = 0.5, high = 1.5 }
n = 12
p = 2.5
---*/
// Host code alone: nested calls, a branch on data, a loop that carries a nonlinear value, a returned number.
static double term(double value, double p)
{
    if (value > 1.0)
        return pow(value, p);
    return value * value;
}

double norm(const double *x, int n, double p)
{
    double total = 0.1;
    for (int i = 0; i < n; i++)
        total = total * 0.5 + term(x[i], p) * total;
    return sqrt(total);
}
