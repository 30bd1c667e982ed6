/*---
wrt = ["x", "y"]
of = ["y"]
[launch]
grid = 3
block = 8
[inputs]
y = { shape = [64], random_uniform = 1, low = 0.3, high = 1.7 }
x = { shape = [64], random_uniform = 2, low = 0.3, high = 1.7 }
n = 21

[[cases]]
name = "variable_in_list"
function = "variable_in_list"

[[cases]]
name = "call_in_list"
function = "call_in_list"

[[cases]]
name = "nested"
function = "nested"

[[cases]]
name = "literal"
function = "literal"
---*/
// Lists of initialisers with whole structs in them.
typedef struct {
    double u, v;
    int c;
} Pair;

typedef struct {
    Pair p;
    double w;
} Outer;

__device__ Pair make(double a)
{
    Pair p = {a, a * a, 1};
    return p;
}

__global__ void variable_in_list(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Pair p;
    p.u = x[i];
    p.v = p.u * p.u;
    p.c = i;
    Pair a[2] = {p, {x[i], 2, 3}};
    y[i] = a[0].u * a[0].v * a[1].u;
}

__global__ void call_in_list(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Pair a[2] = {make(x[i]), make(x[i + 1])};
    y[i] = a[0].u * a[1].v;
}

__global__ void nested(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Pair p = {x[i], x[i + 1], 3};
    Outer r = {p, x[2]};
    r.p.u *= r.w;
    y[i] = r.p.u * p.v;
}

__global__ void literal(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Pair p = (Pair){x[i], x[i + 1], 2};
    p = (Pair){p.v, p.u * p.v, 1};
    y[i] = p.u * p.v;
}
