/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [80] }
x = { shape = [80], random_uniform = 5, low = 0.3, high = 1.7 }
n = 75
---*/
// Atomic operations on the first element of an array, which is the array's own name: `&c[0]`, `c`, `c[k]`, `&c[k][0]`;
// by a function that takes a pointer or a reference, behind a member, and in shared memory carved from bytes.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

struct Sums {
    real of[2];
};

__device__ int count[4];
__device__ real total[2];

__device__ void add(real *to, real v) { atomicAdd(to, v); }

__device__ void add_to(real &to, real v) { atomicAdd(&to, v); }

__global__ void clear()
{
    count[threadIdx.x] = 0;
    total[threadIdx.x % 2] = 0;
}

__global__ void sums(const real *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd(count, 1);
    atomicMax(count + 1, (int)(x[i] * 3));
    atomicExch(&count[0 + 2], 3);
    atomicAdd(total, x[i] * x[i]);
    add(total + 1, sin(x[i]));
}

__global__ void k(real *y, const real *x, int n)
{
    __shared__ real c[4];
    __shared__ real d[3][2];
    __shared__ Sums s;
    __shared__ int hits[2];
    extern __shared__ unsigned char raw[];
    real *carved = (real *)raw;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < 4)
        c[t] = 0;
    if (t < 6)
        d[t / 2][t % 2] = 0;
    if (t < 2) {
        s.of[t] = 0;
        hits[t] = 0;
        carved[t] = 0;
    }
    __syncthreads();
    if (i < n) {
        real v = x[i];
        atomicAdd(&c[0], v);
        add(c, v * v);
        add_to(c[0], v * v * v);
        atomicAdd(d[1], v);
        atomicAdd(&d[2][0], v * v);
        add(d[i % 3], exp(v));
        atomicAdd(s.of, v);
        atomicAdd(&s.of[0], -v * v);
        atomicAdd(hits, 1);
        atomicOr(hits + 1, 1);
        atomicAdd((real *)raw, v * exp(-v));
    }
    __syncthreads();
    if (i < n)
        y[i] = (c[0] + d[0][0] * d[1][0] - d[2][0] * s.of[0]) * x[i] + carved[0] + hits[0] * hits[1] * total[0] + total[1] * count[1];
}

void run(real *y, const real *x, int n)
{
    clear<<<1, 4>>>();
    sums<<<(n + 31) / 32, 32>>>(x, n);
    k<<<(n + 31) / 32, 32, 2 * sizeof(real)>>>(y, x, n);
}
