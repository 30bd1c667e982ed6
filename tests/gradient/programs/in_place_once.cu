/*---
function = "once"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [70], random = 1 }
n = 60

[[cases]]
name = "a_part"
reference = { x = "np.where(np.arange(70) < 60, 2 * x, 1) * adj_x" }

[[cases]]
name = "nothing"
inputs = { n = 0 }
reference = { x = "adj_x" }

[[cases]]
name = "two_parts"
function = "two_parts"

[[cases]]
name = "parts_that_overlap"
function = "parts_that_overlap"

[[cases]]
name = "read_after"
function = "read_after"
of = ["x", "y"]
inputs = { y = { zeros = [70] } }

[[cases]]
name = "asked_after"
function = "asked_after"
inputs = { limit = 0.3 }

[[cases]]
name = "in_steps"
function = "in_steps"
inputs = { steps = 4 }

[[cases]]
name = "through_either"
function = "through_either"
wrt = ["x", "z"]
of = ["x", "z"]
inputs = { z = { shape = [70], random = 2 }, which = 1 }
---*/
// Launches that overwrite a part of what they read.  Their own pullbacks need it as it was before; who else reads it, or
// writes beside that part, decides whether the forward sweep must run them.
__global__ void square(double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}

__global__ void products(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[(i + 1) % n];
}

void once(double *x, int n)
{
    square<<<(n + 31) / 32, 32>>>(x, n);
}

void two_parts(double *x, int n)
{
    square<<<(n + 31) / 32, 32>>>(x, n / 2);
    square<<<(n + 31) / 32, 32>>>(x + n / 2, n - n / 2);
}

void parts_that_overlap(double *x, int n)
{
    square<<<(n + 31) / 32, 32>>>(x, n);
    square<<<(n + 31) / 32, 32>>>(x + n / 2, n / 4);
    square<<<(n + 31) / 32, 32>>>(x + 5, n - 10);
}

void read_after(double *y, double *x, int n)
{
    square<<<(n + 31) / 32, 32>>>(x, n);
    products<<<(n + 31) / 32, 32>>>(y, x, n + 5);
}

void asked_after(double *x, int n, double limit)
{
    double first;
    square<<<(n + 31) / 32, 32>>>(x, n);
    cudaMemcpy(&first, x, sizeof(double), cudaMemcpyDeviceToHost);
    if (first < limit)
        square<<<(n + 31) / 32, 32>>>(x, n);
    square<<<(n + 31) / 32, 32>>>(x + 1, n);
}

void in_steps(double *x, int n, int steps)
{
    for (int k = 0; k < steps; k++)
        square<<<(n + 31) / 32, 32>>>(x + k, n - k);
}

void through_either(double *x, double *z, int n, int which)
{
    double *p = which ? x : z;
    square<<<(n + 31) / 32, 32>>>(p, n);
    p = which ? z : x;
    square<<<(n + 31) / 32, 32>>>(p + 1, n);
    square<<<(n + 31) / 32, 32>>>(x, n / 2);
}
