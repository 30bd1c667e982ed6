/*---
function = "total"
wrt = ["x"]
of = ["y"]
---*/
// A tree over the threads along x, of a block with two rows.
__global__ void tree(double *y, const double *x)
{
    __shared__ double part[32];
    int t = threadIdx.x;
    part[t] = x[t] * x[t];
    __syncthreads();
    for (int half = 16; half > 0; half /= 2) {
        if (t < half)
            part[t] *= part[t + half];  // expected-error @13: a race: threads that differ in threadIdx.y alone read and write one cell of 'part'
        __syncthreads();
    }
    if (t == 0)
        y[0] = part[0];
}

void total(double *y, const double *x)
{
    tree<<<1, dim3(32, 2)>>>(y, x);
}
