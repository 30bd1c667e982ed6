/*---
function = "set_on_device"
wrt = ["x"]
of = ["x"]
help = "as a parameter of its own"
---*/
// Pointers that a kernel stores in device memory.
__global__ void aim(double **rows, double *base, int n, int m)
{
    int i = threadIdx.x;
    if (i < n)
        rows[i] = base + i * m;
}

__global__ void square(double **rows, int n, int m)
{
    int i = threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; j++)
            rows[i][j] *= rows[i][j];
}

void set_on_device(double *x, int n, int m)
{
    double **rows;
    cudaMalloc(&rows, n * sizeof(double *));
    aim<<<1, 32>>>(rows, x, n, m);
    square<<<1, 32>>>(rows, n, m);  // expected-error: loaded from memory that hetad does not follow
    cudaFree(rows);
}
