/*---
function = "exchange"
wrt = ["x"]
of = ["x"]
[launch]
grid = 1
block = 4
[inputs]
x = { shape = [4], random_uniform = 1, low = 0.8, high = 1.1 }
n = 40
---*/
// Values read back from global memory in a loop that also writes shared memory.
__global__ void exchange(double *x, int n)
{
    __shared__ double s[4];
    int t = threadIdx.x;
    for (int i = 0; i < n; i++) {
        s[t] = x[t];
        __syncthreads();
        x[t] = 0.5 * sin(s[(t + 1) % 4] * s[t]) + 0.6 * s[t];
        __syncthreads();
    }
}
