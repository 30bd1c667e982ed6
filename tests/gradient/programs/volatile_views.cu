/*---
function = "f"
wrt = ["x"]
of = ["y"]
[launch]
grid = 5
block = 16
shared_mem = 64
[inputs]
y = { zeros = [77] }
x = { shape = [77], random_uniform = 1, low = 0.5, high = 1.5 }
n = 77
---*/
// Volatile integers by typedef, as members, behind casts and references, in dynamic shared memory, and under atomics.
typedef volatile int counter;

struct state {
    counter flag;
    volatile double weight;
};

__global__ void f(double *y, const double *x, int n)
{
    extern __shared__ char raw[];
    __shared__ counter hits;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    volatile int *held = (volatile int *)raw;
    held[t] = i % 7;
    if (t == 0)
        hits = 0;
    __syncthreads();
    if (t < 8)
        held[t] += held[t + 8];
    if (i < n && x[i] > 1.0)
        atomicAdd((int *)&hits, 1);
    __syncthreads();
    if (i >= n)
        return;
    struct state s;
    s.flag = t;
    s.weight = 0.5;
    struct state *q = &s;
    q->flag += 2;
    int plain = t;
    volatile int *view = &plain;
    *view += 3;
    int *same = (int *)view;
    same[0] *= 2;
    const volatile int &read = plain;
    counter c = plain;
    c++;
    c <<= 1;
    int old = c--;
    double v = x[i] * x[i] * (held[t % 8] + hits) * s.weight + sin(x[i]) * read * *(volatile unsigned *)&plain;
    while (c-- > 60)
        v += 0.1 * v * x[i];
    y[i] = v * q->flag + old * x[i];
}
