// Local arrays of arrays with lengths that the run tells.
#include <cstring>
static double total(const double *row, int n) { double s = 0; for (int i = 0; i < n; ++i) s += row[i] * i; return s; }
double f(double a, int n)
{
    int m = n + 2;
    double t[n][m];
    memset(t, 0, sizeof(t));
    m = 1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n + 2; ++j) t[i][j] += a * i - j * a * a;
    double s = 0, *p = t[n - 1];
    for (int i = 0; i < n; ++i) s += total(t[i], n + 2) + p[1];
    const int k = 2 * n;
    double u[3][k], w[k][3];
    for (int i = 0; i < 3; ++i) for (int j = 0; j < k; ++j) { u[i][j] = a * i + j; w[j][i] = u[i][j] * a; }
    double *q = &u[1][2];
    s += *q + u[2][k - 1] * w[k - 1][2];
    int c[n][n];
    c[0][0] = 4;
    for (int i = 1; i < n; ++i) c[i][i] = c[i - 1][i - 1] + 1;
    return s + sizeof(t) + c[n - 1][n - 1];
}
