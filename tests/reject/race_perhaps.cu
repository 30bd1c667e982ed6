/*---
function = "shifted"
wrt = ["y"]
of = ["x"]
help = "launch it with one thread along each of these, let one do it (if (threadIdx.y == 0)), or add with atomicAdd"
---*/
// Which of the rows each thread reads is for the kernel to say: whether it is the one that is stored to, nobody knows.
__global__ void shift(double **rows, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rows[0][i] = sin(rows[which[i]][i]);  // expected-error: a race, unless the kernel keeps its pointers apart: threads that differ in threadIdx.y alone read and write one cell of 'rows[]' in no order, in the launch of 'shift' in line 21
//      ^
}

void shifted(double *x, double *y, const int *which, int n)
{
    double *rows[3] = {x, y, y}, **d_rows;
    cudaMalloc(&d_rows, sizeof rows);
    cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
    shift<<<(n + 63) / 64, dim3(64, 2)>>>(d_rows, which, n);
    cudaFree(d_rows);
}
