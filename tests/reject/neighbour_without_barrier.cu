/*---
function = "smooth"
wrt = ["x"]
of = ["x"]
help = "put __syncthreads() between the two accesses"
---*/
// A neighbour is read, and the own cell written, with no barrier between.
__global__ void step(double *x, int n)
{
    __shared__ double s[64];
    int i = threadIdx.x;
    if (i < n)
        s[i] = x[i];
    __syncthreads();
    if (i < n) {
        double left = s[i == 0 ? 0 : i - 1]; // expected-error: a race in kernel step: thread (1, 0, 0) of a block reads a cell of s here, thread (0, 0, 0) writes it in line 18, and no barrier stands between the two
//                    ^
        s[i] += 0.5 * left * left;
    }
    __syncthreads();
    if (i < n)
        x[i] = s[i];
}

void smooth(double *x, int n)
{
    step<<<1, 64>>>(x, n);
}
