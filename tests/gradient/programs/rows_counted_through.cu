/*---
function = "f"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [16] }
x = { shape = [16], random = 4 }
---*/
// An array of shared memory, and one of a thread, are written row by row and counted through as one.
__global__ void k(double *y, const double *x)
{
    __shared__ double tile[2][8];
    double own[2][2];
    int i = threadIdx.x;
    (&tile[0][0])[i] = x[i] * x[i];
    for (int j = 0; j < 4; j++)
        (&own[0][0])[j] = x[(i + j) % 16];
    __syncthreads();
    y[i] = tile[1][i % 8] * own[1][i % 2] + tile[i % 2][3];
}

void f(double *y, const double *x) { k<<<1, 16>>>(y, x); }
