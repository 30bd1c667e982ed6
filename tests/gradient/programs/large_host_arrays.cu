/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 1 }
n = 12
---*/
// Arrays at file scope that no stack could hold, and a local one.
static double A[1300][1000];
static double B[1300][1000] = {{1.0, 2.0}, {0.5}};

void driver(double *y, const double *x, int n)
{
    double sums[20000];
    for (int i = 0; i < n; i++) {
        sums[i] = 0.0;
        for (int j = 0; j < n; j++)
            A[i][j] = x[i] * x[j] + B[i][j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sums[j] += A[i][j] * A[j][i];
    for (int i = 0; i < n; i++)
        y[i] = A[i][0] * A[0][i] + sums[i];
}
