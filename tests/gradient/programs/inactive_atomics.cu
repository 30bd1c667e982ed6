/*---
function = "ranges"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [8] }
x = { shape = [40], random = 1 }
key = { shape = [40], random = 2, low = 0, high = 8 }
stats = { values = [0, 1000, 0, 0] }
n = 40

[[cases]]
name = "minimum_and_maximum"

[[cases]]
name = "first_come"
function = "first_come"
inputs = { stats = { values = [-1, -1, -1, -1, -1, -1, -1, -1] } }
---*/
// Atomics on whole numbers: their effects happen once, their results are recorded where branches hang on them.
__global__ void find_range(int *stats, const int *key, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicMax(&stats[0], key[i]);
    atomicMin(&stats[1], key[i]);
    atomicAdd(&stats[2], 1);
    atomicSub(&stats[3], key[i]);
    atomicOr(&stats[3], 0);
}

__global__ void use_range(double *y, const double *x, const int *key, const int *stats, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && key[i] < stats[0] && key[i] > stats[1])
        atomicAdd(&y[key[i]], x[i] * x[i] / stats[2] * (stats[3] + 1));
}

void ranges(double *y, const double *x, const int *key, int *stats, int n)
{
    find_range<<<(n + 15) / 16, 16>>>(stats, key, n);
    use_range<<<(n + 15) / 16, 16>>>(y, x, key, stats, n);
}

// Exactly one thread of each key wins, by exchange or by comparison: which one does not matter.
__global__ void claim(double *y, const double *x, const int *key, int *owner, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int k = key[i];
    if (k < 4) {
        if (atomicExch(&owner[k], k) == -1)
            y[k] = x[k] * x[k + 1];
    } else if (atomicCAS(&owner[k], -1, k) == -1)
        y[k] = sin(x[k]);
}

void first_come(double *y, const double *x, const int *key, int *stats, int n)
{
    claim<<<(n + 15) / 16, 16>>>(y, x, key, stats, n);
}
