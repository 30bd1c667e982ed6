/*---
function = "price"
wrt = ["spot", "volatility", "rate"]
of = ["sum"]
[inputs]
sum = { zeros = [1] }
spot = 1.1
volatility = 0.3
rate = 0.02
paths = 64
steps = 6
---*/
// Asian options by Monte Carlo, a generator of random numbers in integers in each thread, a reduction at the end.
__device__ unsigned next_state(unsigned *state)
{
    unsigned x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

__device__ double normal(unsigned *state)
{
    double u = (next_state(state) + 0.5) / 4294967296.0;
    double v = (next_state(state) + 0.5) / 4294967296.0;
    return sqrt(-2.0 * log(u)) * cospi(2.0 * v);
}

__global__ void price_kernel(double *sum, double spot, double volatility, double rate, int paths, int steps)
{
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    double value = 0.0;
    if (path < paths) {
        unsigned state = 2654435761u * (path + 1);
        double price = spot, mean = 0.0, dt = 1.0 / steps;
        for (int k = 0; k < steps; k++) {
            price *= exp((rate - 0.5 * volatility * volatility) * dt + volatility * sqrt(dt) * normal(&state));
            mean += price / steps;
        }
        value = mean > 1.0 ? exp(-rate) * (mean - 1.0) : 0.0;
    }
    for (int offset = 16; offset > 0; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, value);
}

void price(double *sum, double spot, double volatility, double rate, int paths, int steps)
{
    price_kernel<<<2, 32>>>(sum, spot, volatility, rate, paths, steps);
}
