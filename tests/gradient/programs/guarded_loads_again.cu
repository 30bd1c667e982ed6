/*---
function = "rows"
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = [2, 1]
block = [8, 1]
[inputs]
y = { shape = [13, 6], random_uniform = 1, low = 0.3, high = 0.9 }
x = { shape = [13], random_uniform = 2, low = 0.4, high = 1.4 }
pick = { values = [0, -1, 2, 1, 0, -1, 3, 2, 1, -1, -1, 4, 5, 0, 1, 2, -1, 3, 0, 0, 0, 4, 1, -1, 5, 3, 2, 1, -1, 0, 2, 2, -1, 0, 5, 4, -1, 1, 2] }
n = 13
---*/
// Memory that the kernel has overwritten is read again where a condition may skip the load, behind && and || and in ?:,
// and in the condition of a loop that a bound ends in any case.
__global__ void rows(double *y, const double *x, const int *pick, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double *row = y + i * 6;
    for (int t = 0; t < 3; t++) {
        int k = pick[i * 3 + t];
        row[t] = row[t] * x[i] + 0.1;
        if (k >= 0 && row[k] > 0.5)
            row[5] += row[k] * x[i];
        double v = k >= 0 ? row[k] : x[i];
        row[4] = row[4] + v * v;
        if (k < 0 || (row[k] * x[i] < 0.6 && (k > 2 || row[k + 1] < 0.7)))
            row[3] = row[3] * 0.5 + v;
    }
    for (int c = 0; c < 5 && row[c] < 1.6; c++)
        row[c + 1] = row[c] * row[c + 1] + x[i];
    double sum = 0.0;
    for (int c = 0; row[5 - c] > 0.2 && c < 4; c++) {
        row[c] = row[c] * row[5 - c];
        sum += row[c];
    }
    row[2] += sum;
}
