/*---
function = "run"
wrt = ["x"]
[inputs]
x = { shape = [1], random_uniform = 1, low = -1.0, high = 1.0 }
s = 0.4
---*/
// Without activity analysis, a number that is not in wrt has an adjoint too.
double run(const double *x, double s)
{
    return x[0] * sin(s);
}
