/*---
function = "turn"
wrt = ["x"]
of = ["y"]
[launch]
grid = 2
block = 8
[inputs]
y = { zeros = [16] }
x = { shape = [24], random = 1 }
rounds = 3

[[cases]]
name = "some_rounds"

[[cases]]
name = "no_round"
inputs = { rounds = 0 }
---*/
// Barriers alone in branches that all threads of a block take together: they separate what stands around them.
__global__ void turn(double *y, const double *x, int rounds)
{
    __shared__ double part[8];
    int t = threadIdx.x;
    double product = 1.0;
    for (int r = 0; r < rounds; r++) {
        part[t] = x[8 * r + t] * x[8 * r + t];
        if (rounds > 0) {
            __syncthreads();
        }
        product *= 1.0 + part[7 - t] * (1.0 + blockIdx.x);
        if (r >= 0)
            __syncthreads();
    }
    y[blockIdx.x * 8 + t] = product;
}
