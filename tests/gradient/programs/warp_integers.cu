/*---
function = "weights"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 32
[inputs]
y = { zeros = [32] }
x = { shape = [32], random = 1 }
k = { shape = [32], random = 2, low = 0, high = 6 }
---*/
// Whole numbers that travel between lanes: __reduce_add_sync, a shuffled index, the mask of the active lanes.
__global__ void weights(double *y, const double *x, const int *k)
{
    int t = threadIdx.x;
    int total = __reduce_add_sync(0xffffffff, k[t]);
    int greatest = __reduce_max_sync(0xffffffff, k[t]);
    int other = __shfl_xor_sync(0xffffffff, k[t], 1);
    int active = __popc(__activemask());
    y[t] = x[t] * x[other] * total / active + x[greatest];
}
