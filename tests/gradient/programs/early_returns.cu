/*---
function = "search"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 24
[inputs]
y = { zeros = [45] }
x = { shape = [45, 5], random = 1 }
n = 45
---*/
// Returns from anywhere: the middle of a kernel, nested loops, each branch of a device function.
__device__ double first_above(const double *row, double limit)
{
    for (int j = 0; j < 5; j++) {
        if (row[j] < 0.0)
            continue;
        for (int k = j + 1; k < 5; k++)
            if (row[j] * row[k] > limit)
                return row[j] * row[k];
        if (row[j] > 1.0)
            return row[j] * row[j];
    }
    return row[4] * 0.5;
}

__device__ double signed_root(double v)
{
    if (v > 0.0)
        return sqrt(v);
    else if (v < -1.0)
        return v;
    else
        return -v * v;
}

__global__ void search(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const double *row = x + 5 * i;
    if (row[0] < -1.0) {
        y[i] = row[0] * row[1];
        return;
    }
    double v = first_above(row, 0.8);
    if (i % 3 == 0) {
        if (v > 1.0) {
            y[i] = v * v;
            return;
        }
        v = v + row[2];
    }
    y[i] = signed_root(v);
}
