/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [12], random = 1 }
---*/
// Pointers that live across barriers and lead to locals that are named before the first one alone: a number, an index, an
// array, and by a struct.
struct view {
    double *v;
    int n;
};

__global__ void numbers(double *x)
{
    __shared__ double s[6];
    int t = threadIdx.x, i = blockIdx.x * 6 + t, next = (t + 1) % 6;
    double v = x[i] * t, a[3] = {x[i], 2.0 * t, x[i] * x[i]};
    int *at = &next;
    double *p = a + t % 3;
    struct view w = {&v, t}, u = w;
    s[t] = x[i];
    __syncthreads();
    *p *= s[*at];
    *u.v += sin(s[*at]) * u.n;
    __syncthreads();
    s[t] = *p;
    __syncthreads();
    x[i] = *u.v * s[*at] + *p;
}

__global__ void rows(double *x)
{
    __shared__ double s[6][7];
    int t = threadIdx.x, i = blockIdx.x * 6 + t;
    double(*q)[6][7] = &s;
    int own = t, *at = &own;
    for (int j = 0; j < 6; j++)
        s[t][j] = x[i] * (t + j);
    __syncthreads();
    double sum = 0;
    for (int j = 0; j < 6; j++)
        sum += q[0][j][*at] * q[0][*at][j];
    x[i] = sum;
}

void run(double *x)
{
    numbers<<<2, 6>>>(x);
    rows<<<2, 6>>>(x);
}
