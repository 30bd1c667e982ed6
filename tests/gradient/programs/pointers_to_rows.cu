/*---
function = "k"
wrt = ["x", "w"]
of = ["y"]
[launch]
grid = 2
block = 32
[inputs]
y = { zeros = [50] }
x = { shape = [50], random_uniform = 3, low = 0.4, high = 1.6 }
w = { shape = [6], random = 4 }
n = 50
---*/
// A row of an array decays to a pointer, through which the array is written while it is read by its name.

__global__ void k(double *y, const double *x, const double *w, int n)
{
    __shared__ double tile[2][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a[2][3] = {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    double *row = a[i % 2];
    double *mine = tile[1];
    double own = i < n ? x[i] : 0.0;
    tile[0][threadIdx.x] = own;
    mine[threadIdx.x] = own * own;
    __syncthreads();
    double sum = 0.0;
    for (int j = 0; j < 3; ++j) {
        row[j] = row[j] * own + a[1][j];
        sum += a[1][j] * a[0][j] * tile[1][(threadIdx.x + j) % 32];
    }
    row = a[1];
    row[0] = sin(sum);
    if (i < n)
        y[i] = a[1][0] * tile[0][31 - threadIdx.x] + a[i % 2][2];
}
