/*---
function = "invert"
wrt = ["a"]
of = ["b"]
reference = { a = "-np.einsum('nji,njk,nlk->nil', (lambda i: i)(np.linalg.inv(a)), adj_b, np.linalg.inv(a))" }
[launch]
grid = 2
block = 8
[inputs]
a = { shape = [13, 3, 3], random = 1 }
b = { zeros = [13, 3, 3] }
n = 13
---*/
// Gauss-Jordan with pivoting in a thread's own matrices: rows chosen by the data, elements overwritten again and again.
__global__ void invert(double *b, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double m[3][6] = {{0.0}};
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            m[r][c] = a[i * 9 + r * 3 + c];
        m[r][3 + r] = 1.0;
    }
    for (int c = 0; c < 3; c++) {
        int pivot = c;
        for (int r = c + 1; r < 3; r++)
            if (fabs(m[r][c]) > fabs(m[pivot][c]))
                pivot = r;
        for (int k = 0; k < 6; k++) {
            double kept = m[c][k];
            m[c][k] = m[pivot][k];
            m[pivot][k] = kept;
        }
        double d = m[c][c];
        for (int k = 0; k < 6; k++)
            m[c][k] /= d;
        for (int r = 0; r < 3; r++) {
            if (r == c)
                continue;
            double factor = m[r][c];
            for (int k = 0; k < 6; k++)
                m[r][k] -= factor * m[c][k];
        }
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            b[i * 9 + r * 3 + c] = m[r][3 + c];
}
