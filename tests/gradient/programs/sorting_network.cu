/*---
function = "bitonic"
wrt = ["x"]
of = ["y"]
reference = { x = "np.take_along_axis(adj_y.reshape(3, 16) * np.arange(1, 17), np.argsort(np.argsort(x.reshape(3, 16), 1), 1), 1).ravel()" }
[launch]
grid = 3
block = 16
[inputs]
y = { zeros = [48] }
x = { shape = [48], random = 1 }

[[cases]]
name = "swaps"

[[cases]]
name = "minima_and_maxima"
function = "odd_even"
---*/
// Active values that change places in shared memory, as their comparison says.
__global__ void bitonic(double *y, const double *x)
{
    __shared__ double s[16];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 16 + t];
    __syncthreads();
    for (int size = 2; size <= 16; size <<= 1) {
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            int other = t ^ stride;
            if (other > t) {
                int up = (t & size) == 0;
                if (up ? s[t] > s[other] : s[t] < s[other]) {
                    double kept = s[t];
                    s[t] = s[other];
                    s[other] = kept;
                }
            }
            __syncthreads();
        }
    }
    y[blockIdx.x * 16 + t] = s[t] * (t + 1);
}

__global__ void odd_even(double *y, const double *x)
{
    __shared__ double s[16];
    int t = threadIdx.x;
    s[t] = x[blockIdx.x * 16 + t];
    __syncthreads();
    for (int round = 0; round < 16; round++) {
        int mine = (t + round) % 2 == 0;
        if (mine && t < 15) {
            double a = s[t], b = s[t + 1];
            s[t] = fmin(a, b);
            s[t + 1] = fmax(a, b);
        }
        __syncthreads();
    }
    y[blockIdx.x * 16 + t] = s[t] * (t + 1);
}
