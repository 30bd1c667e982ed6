/*---
function = "run"
wrt = ["x", "a"]
of = ["y"]

[inputs]
y = { shape = [600], random = 3 }
x = { shape = [600], random = 1 }
work = { zeros = [600] }
a = 0.8
n = 13
m = 19
s = 24

[[cases]]
name = "rows_apart"

[[cases]]
name = "rows_that_meet"
inputs = { s = 11 }

[[cases]]
name = "rows_that_meet_at_last"
inputs = { s = 20 }

[[cases]]
name = "nothing"
inputs = { m = 0, s = 3 }

[[cases]]
name = "one_piece_many_times"
inputs = { s = 3 }
---*/
// Whether two threads meet depends on sizes that only a launch knows: strides against extents, and blocks against the
// distance they begin at.
__global__ void rows(double *y, const double *x, double a, int n, int m, int s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m && j < n)
        y[j * m + i] += a * sin(x[j * s + i]);
}

__global__ void pieces(double *y, const double *x, int distance, int n)
{
    int i = blockIdx.x * distance + threadIdx.x;
    int to = blockIdx.x * blockDim.x + threadIdx.x;
    if (to < n)
        y[to] += x[i] * x[i];
}

void run(double *y, const double *x, double *work, double a, int n, int m, int s)
{
    for (int t = 0; t < 3; t++) {
        dim3 grid((m + 7) / 8 + 1, (n + 3) / 4), block(8, 4);
        rows<<<grid, block>>>(work, x, a + t, n, m, s);
        s = s - t;
    }
    pieces<<<9, 12>>>(y, work, s, 100);
    pieces<<<5, 16>>>(y, work, 17, 75);
}
