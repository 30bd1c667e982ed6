/*---
function = "forces"
wrt = ["x"]
of = ["f"]
[inputs]
f = { zeros = [16] }
x = { shape = [16], random_uniform = 1, low = 0.5, high = 2.0 }
n = 16
---*/
// A nonlinear __device__ function, called by a kernel that a host function launches.
__device__ double pull(double distance)
{
    double inverse = 1.0 / distance;
    return inverse * inverse - exp(-distance);
}

__global__ void force_kernel(double *f, const double *x, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    f[i] = pull(x[i]);
}

void forces(double *f, const double *x, int n)
{
    force_kernel<<<1, 32>>>(f, x, n);
}
