/*---
function = "run"
wrt = ["a", "b", "c", "d"]
of = ["y", "z"]
[inputs]
y = { zeros = [61] }
z = { zeros = [61] }
a = { shape = [61], random = 1 }
b = { shape = [61], random = 2 }
rows = { values = [5, 0, 3, 12, 9, 2, 7, 11, 1, 4, 10, 6, 8] }
m = 13
c = 0.7
d = -0.3
n = 61
---*/
// Positions that follow from others, one after the other, and are asked for far from where they are set: a loop over
// all threads that is taken apart must still know them in each of its parts.
__global__ void doubled(double *y, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 2 * i;
    if (j < n)
        y[j] = a[j] * a[j];
}

__global__ void a_chain(double *y, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = 3 * i;
    int k = j + 1;
    int l = k + 1;
    for (int t = 0; t < 3; t++)
        if (l + t < n)
            y[l + t] += a[k] * b[j] * (t + 1);
}

__global__ void from_memory(double *z, const double *a, const double *b, const int *rows, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        int row = rows[i];
        int first = 4 * row;
        int last = first + 3;
        double sum = 0;
        for (int t = 0; t < 4; t++)
            sum += a[first + t] * b[last - t];
        for (int t = 0; t < m; t++)
            if (t < row)
                sum += a[first] * b[t];
        z[first] += sum * a[last];
    }
}

__global__ void moved_on(double *z, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    int before = 2 * at;
    at = at + 30;
    for (int t = 0; t < 3; t++)
        if (before + t < n && at < n)
            z[at] += a[before] * a[at] * (t + 2);
}

__global__ void with_scalars(double *z, double c, const double *a, const int *rows, int m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        int row = rows[i];
        int first = 4 * row;
        int last = first + 3;
        double sum = 0;
        for (int t = 0; t < 4; t++)
            sum += a[first + t] * a[last - t];
        for (int t = 0; t < m; t++)
            if (t < row)
                sum += a[first] * a[t];
        z[first] += c * c * sum * a[last];
    }
}

__global__ void moved_with_scalar(double *z, double d, const double *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    int before = 2 * at;
    int then = before + 1;
    at = at + 30;
    double sum = 0;
    for (int t = 0; t < 3; t++)
        if (then + t < n && at < n)
            sum += a[then + t] * a[at] * (t + 2);
    for (int t = 0; t < 2; t++)
        if (before + t < n)
            sum += a[before + t];
    if (i < n)
        z[i] += d * d * sum;
}

void run(double *y, double *z, const double *a, const double *b, const int *rows, double c, double d, int m, int n)
{
    doubled<<<5, 8>>>(y, a, n);
    a_chain<<<3, 8>>>(y, a, b, n);
    from_memory<<<2, 8>>>(z, a, b, rows, m, n);
    moved_on<<<2, 16>>>(z, a, n);
    with_scalars<<<2, 8>>>(z, c, a, rows, m, n);
    moved_with_scalar<<<4, 16>>>(z, d, a, n);
}
