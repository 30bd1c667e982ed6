/*---
function = "by_region"
wrt = ["x", "k"]
of = ["y"]
[launch]
grid = 3
block = 16
[inputs]
y = { shape = [43], random = 1 }
x = { shape = [43], random_uniform = 2, low = 0.5, high = 1.5 }
k = { shape = [43], random_uniform = 3, low = 0.1, high = 0.9 }
region = { values = [
    -1, 0, -2, 3, 1, 1, -1, -2, -2, -2, 1, 2, 0, -2, -1, 2, 2, 0, 0, -1, -2, 0,
    -1, -2, 3, 0, 0, -1, -1, 0, 0, 3, 3, 0, -2, 2, 0, 3, 1, 2, -1, -1, -1,
] }
n = 43

[[cases]]
name = "by_region"

[[cases]]
name = "a_branch_sets_it"
function = "a_branch_sets_it"

[[cases]]
name = "with_a_sum_inside"
function = "with_a_sum_inside"

[[cases]]
name = "known_number"
function = "known_number"

[[cases]]
name = "unsigned_from_below"
function = "unsigned_from_below"

[[cases]]
name = "handed_on_behind_a_branch"
function = "handed_on_behind_a_branch"

[[cases]]
name = "handed_on_by_a_pointer"
function = "handed_on_by_a_pointer"

[[cases]]
name = "counted_on"
function = "counted_on"

[[cases]]
name = "swapped"
function = "swapped"

[[cases]]
name = "through_memory"
function = "through_memory"
---*/
// Loops that repeat what they do, and loops that only look so.

#define EACH int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;

__global__ void by_region(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i];
    for (int again = 0; again <= region[i]; again++) {
        now = x[i] * sin(k[i]);
        if (now < 0.3)
            now *= k[i];
    }
    y[i] = now * now;
}

__global__ void a_branch_sets_it(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i], other = k[i];
    for (int again = region[i]; again > 0; again -= 2)
        if (x[i] > k[i])
            now = exp(x[i]);
        else
            other = x[i] / k[i];
    y[i] = now * other;
}

__global__ void with_a_sum_inside(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double sum = 0.5;
    for (int again = 0; again < region[i]; again++) {
        sum = 0;
        for (int j = 0; j <= i % 5; j++)
            sum += x[j] * k[i];
    }
    y[i] = sum * sum;
}

__global__ void known_number(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = 0;
    for (int again = 0; again < 7; ++again)
        for (int more = 5; more > 2; --more)
            now = x[i] * x[i] * k[i];
    for (int never = 3; never < 3; ++never)
        now = k[i];
    y[i] = now;
}

__global__ void unsigned_from_below(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i];
    for (unsigned again = -1; again < region[i] + 2u; ++again)
        now = k[i] * k[i];
    y[i] = now * now;
}

// The second time the branch finds what the first time has set.
__global__ void handed_on_behind_a_branch(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i];
    for (int again = 0; again <= region[i]; again++) {
        double last;
        if (k[i] > 0.5)
            now = x[i] * k[i];
        last = now;
        now = sin(last);
    }
    y[i] = now;
}

__global__ void handed_on_by_a_pointer(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i];
    const double *before = &now;
    for (int again = 0; again <= region[i]; again++)
        now = *before * k[i];
    y[i] = now;
}

__global__ void counted_on(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i];
    int again;
    for (again = 0; again <= region[i]; again++)
        now = x[i] * k[i];
    y[i] = now * again;
}

__global__ void swapped(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double a = x[i], b = k[i], c = 0;
    for (int again = 0; again <= region[i]; again++) {
        c = a;
        a = b * b;
        b = c;
    }
    y[i] = a - 2 * b;
}

__global__ void through_memory(double *y, const double *x, const double *k, const int *region, int n)
{
    EACH
    double now = x[i], at[2] = {k[i], 1.0};
    for (int again = 0; again <= region[i]; again++) {
        now = at[0] * x[i];
        at[0] = now;
    }
    y[i] = now;
}
