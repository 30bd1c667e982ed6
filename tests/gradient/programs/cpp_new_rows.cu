/*---
function = "rows"
wrt = ["x"]
[inputs]
x = { shape = [5], random = 1 }
n = 5
---*/
// Rows of a length that the type tells, from new[]: with zeros, without, and with two lengths in the type.
double rows(const double *x, int n)
{
    int m = n + 2;
    double (*p)[3] = new double[m][3]();
    double *q = new double[4]{x[0], x[1] * x[2]};
    double (*r)[2][2] = new double[(n + 1)][2][2];
    double s = 0;
    for (int i = 0; i < n; ++i) {
        p[i + 2][i % 3] += x[i] * x[i];
        r[i][1][0] = x[i] * q[i % 4];
        r[i][0][1] = r[i][1][0] * x[0];
    }
    for (int i = 0; i < m; ++i) s += p[i][0] * 2 + p[i][1] * p[i][2] + p[i][1];
    for (int i = 0; i < n; ++i) s += r[i][0][1] * r[i][1][0];
    delete[] p; delete[] q; delete[] r;
    return s;
}
