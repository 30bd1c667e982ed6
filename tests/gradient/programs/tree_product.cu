/*---
function = "products"
wrt = ["x"]
of = ["y"]
[launch]
grid = 3
block = 16
[inputs]
y = { zeros = [3] }
x = { shape = [44], random_uniform = 1, low = 0.7, high = 1.4 }
n = 44
---*/
// A tree of products: each step overwrites values in shared memory that its own derivative needs.
__global__ void products(double *y, const double *x, int n)
{
    __shared__ double work[16];
    int t = threadIdx.x;
    int i = blockIdx.x * 16 + t;
    work[t] = i < n ? x[i] : 1.0;
    __syncthreads();
    for (int s = 8; s > 0; s /= 2) {
        if (t < s)
            work[t] = work[t] * work[t + s];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = work[0];
}
