/*---
wrt = ["x", "w", "y"]
of = ["y"]
[launch]
grid = [2, 3]
block = [4, 2]
[inputs]
y = { shape = [6, 7], random = 1 }
z = { shape = [6, 7], random = 4 }
x = { shape = [6, 9], random = 2 }
w = { shape = [9, 7], random = 3 }
beta = 0.6
rows = 6
n = 7
m = 9

[[cases]]
name = "before"
function = "before"

[[cases]]
name = "after"
function = "after"
of = ["y", "z"]

[[cases]]
name = "around"
function = "around"

[[cases]]
name = "of_a_neighbour"
function = "of_a_neighbour"
---*/
// Products whose seeds lie among what is added to: they are what lay there at first only where a thread takes its seed
// before it adds anything.
#define POSITION int i = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y

__global__ void before(double *y, double *z, const double *x, const double *w, double beta, int rows, int m, int n)
{
    POSITION;
    if (i < n && r < rows) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += x[r * m + j] * w[j * n + i];
        y[r * n + i] = sum + beta * y[r * n + i];
    }
}

__global__ void after(double *y, double *z, const double *x, const double *w, double beta, int rows, int m, int n)
{
    POSITION;
    if (i < n && r < rows) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += x[r * m + j] * w[j * n + i];
        y[r * n + i] = sum;
        z[r * n + i] = beta * y[r * n + i];
    }
}

__global__ void around(double *y, double *z, const double *x, const double *w, double beta, int rows, int m, int n)
{
    POSITION;
    if (i < n && r < rows)
        for (int j = 0; j < m; j++)
            y[r * n + i] = x[r * m + j] * w[j * n + i] + beta * y[r * n + i];
}

__global__ void of_a_neighbour(double *y, double *z, const double *x, const double *w, double beta, int rows, int m,
                               int n)
{
    POSITION;
    if (i < n / 2 && r < rows) {
        double sum = 0;
        for (int j = 0; j < m; j++)
            sum += x[r * m + j] * w[j * n + i];
        y[r * n + i] = sum + beta * y[r * n + i] + y[r * n + n - 1] * y[r * n + n / 2 + i];
    }
}
