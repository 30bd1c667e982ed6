/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [80] }
x = { shape = [80], random_uniform = 5, low = 0.3, high = 1.7 }
n = 75
---*/
// Const variables inside functions as the constants that they are: lengths of arrays, also shared ones, case labels,
// template arguments, enumerators, designators, and what `if constexpr` asks.
#ifndef REAL
#define REAL double
#endif
typedef REAL real;

template <int N> __device__ real power(real v)
{
    const int M = N * 2;
    constexpr bool even = M % 4 == 0;
    real r = 1, parts[M];
    for (int j = 0; j < M; j++)
        parts[j] = v + j * (real)0.1;
    for (int j = 0; j < M; j++)
        r *= parts[j];
    if constexpr (even)
        return r * v;
    else
        return r;
}

__global__ void k(real *y, const real *x, int n)
{
    constexpr int N = 3;
    static constexpr unsigned W = 32;
    const int A = N - 2, B = A + 1;
    const auto more = 2 * N;
    enum { LAST = N + 1 };
    __shared__ real c[N][W + 1];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < N; j++)
        c[j][t] = i < n ? x[(i + j) % n] : (real)1;
    __syncthreads();
    const real weights[N] = {[A] = 2, [B] = 3};
    real s[LAST] = {0}, sum = 0, wide[more];
    for (int j = 0; j < more; j++)
        wide[j] = c[j % N][(t + j) % W] * c[0][t];
    for (int j = 0; j < N; j++)
        s[j] = weights[j] * sin(c[j][W - 1 - t]) + wide[j + N];
    switch (i % 4) {
    case A:
        sum = s[0] * s[1];
        break;
    case B:
        sum = power<N>(s[2]);
        break;
    case N:
        sum = power<B>(s[1]) * s[0];
        break;
    default:
        sum = s[LAST - 2] * s[1];
    }
    if (i < n)
        y[i] = sum;
}

void run(real *y, const real *x, int n)
{
    const int threads = 32;
    k<<<(n + threads - 1) / threads, threads>>>(y, x, n);
}
