/*---
function = "compact"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 64
[inputs]
y = { zeros = [64] }
x = { shape = [64], random = 1 }

[[cases]]
name = "ballot"

[[cases]]
name = "any_and_all"
function = "any_and_all"

[[cases]]
name = "count"
function = "count"
---*/
// Votes decide where values go and which branch is taken: ballot with popc, any, all, and the counting barrier.
__global__ void compact(double *y, const double *x)
{
    int lane = threadIdx.x % 32, base = threadIdx.x - lane;
    double v = x[threadIdx.x];
    int keep = v > 0.1;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int before = __popc(votes & ((1u << lane) - 1));
    if (keep)
        y[base + before] = v * v;
    else
        y[base + 31 - (lane - before)] = -v * __popc(votes);
}

__global__ void any_and_all(double *y, const double *x)
{
    double v = x[threadIdx.x];
    double result = v;
    if (__any_sync(0xffffffff, v > 2.0))
        result = result * v;
    if (__all_sync(0xffffffff, v > -2.2))
        result = sin(result);
    if (__any_sync(0xffffffff, v > 100.0))
        result = 0.0;
    y[threadIdx.x] = result;
}

__global__ void count(double *y, const double *x)
{
    double v = x[threadIdx.x];
    int positive = __syncthreads_count(v > 0.0);
    int some = __syncthreads_or(v > 1.5);
    int every = __syncthreads_and(v > -1.0);
    y[threadIdx.x] = v * v / positive + (some ? v : 0.0) - (every ? 1.0 : exp(v));
}
