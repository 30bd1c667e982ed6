/*---
wrt = ["x"]
of = ["y"]
launch = { grid = [3], block = [16] }
[inputs]
y = { zeros = [40] }
x = { shape = [40], random_uniform = 5, low = 0.3, high = 1.7 }
n = 37

[[cases]]
function = "one_of_two"
[[cases]]
function = "pointer_to_pointer"
[[cases]]
function = "moved_in_a_loop"
[[cases]]
function = "nested"
---*/
// Local variables that hold pointers, reached through pointers themselves: their shadows must be there before the sweep
// follows them.
struct View {
    double *p;
    int n;
};

struct Two {
    struct View v[2];
    double *q;
};

__global__ void one_of_two(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3] = {x[i], x[0], x[1]}, b[3] = {x[2], x[i], 1};
    struct View v = {a, 3}, w = {b, 2};
    struct View *r = a[0] > 1 ? &v : &w;
    r->p[1] *= r->p[0];
    y[i] = a[0] * a[1] * a[2] + b[0] * b[1] * b[2];
}

__global__ void pointer_to_pointer(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3] = {x[i], x[0], x[1]}, b[3] = {x[2], x[i], 1};
    double *p = a, *q = b;
    double **r = i % 2 ? &p : &q;
    (*r)[1] *= (*r)[0];
    y[i] = a[0] * a[1] * a[2] + b[0] * b[1] * b[2];
}

__global__ void moved_in_a_loop(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3] = {x[i], x[0], x[1]}, b[3] = {x[2], x[i], 1};
    double *p = a;
    double **r = &p;
    for (int j = 0; j < 3; j++) {
        (*r)[1] *= x[j] * (*r)[0];
        if (j == 1)
            *r = b;
        else if (a[1] > 1)
            p = a;
    }
    y[i] = a[0] * a[1] * a[2] + b[0] * b[1] * b[2];
}

__global__ void nested(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3] = {x[i], x[0], x[1]}, b[3] = {x[2], x[i], 1};
    struct Two t = {{{a, 3}, {b, 2}}, b + 1};
    struct Two *s = &t;
    struct View *r = &s->v[i % 2];
    r->p[1] *= r->p[0] * s->q[0];
    s->q[1] += s->v[0].p[2] * t.v[1].p[0];
    y[i] = a[0] * a[1] * a[2] + b[0] * b[1] * b[2];
}
