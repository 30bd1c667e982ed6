/*---
function = "accumulate"
wrt = ["a"]
of = ["x"]
help = "let one do it (if (threadIdx.y == 0)), or add with atomicAdd"
---*/
// Four threads for each element, of a kernel that numbers them along x alone.
#define ROWS 4
__global__ void add_squares(float *x, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        x[i] += a[i * n + j] * a[j];  // expected-error: a race: threads that differ in threadIdx.y alone read and write one cell of 'x' in no order, in the launch of 'add_squares' in line 22
//      ^
}

void accumulate(float *x, const float *a, int n)
{
    dim3 block(64, ROWS);
    add_squares<<<(n + 63) / 64, block>>>(x, a, n);
}
