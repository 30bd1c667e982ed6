/*---
function = "run"
wrt = ["a", "x"]
of = ["y"]
reference = { a = "np.sum(adj_y * x * 2 * a)", x = "adj_y * (a * a + 3)" }

[inputs]
n = 70001
a = 0.7
x = { shape = [70001], random = 1 }
y = { zeros = [70001] }
---*/
// More blocks than a GPU works on at once.  Each thread changes its copies of the parameters: what sums up for several
// blocks must not see what an earlier one left.
__global__ void scale(double *y, const double *x, double a, int n, int first)
{
    first += blockIdx.x * blockDim.x + threadIdx.x;
    a = a * a;
    if (first < n)
        y[first] = a * x[first] + 3 * x[first];
}

void run(double *y, const double *x, double a, int n)
{
    scale<<<(n + 31) / 32, 32>>>(y, x, a, n, 0);
}
