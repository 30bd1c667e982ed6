/*---
function = "transport"
wrt = ["u0", "viscosity"]
of = ["u"]
[inputs]
u = { zeros = [37] }
u0 = { shape = [37], random = 1 }
n = 37
steps = 9
viscosity = 0.02
---*/
// Burgers' equation: upwind differences that branch on the sign of the speed, a minmod limiter, Heun's method with a
// device function for the right-hand side that is called by two kernels.
#define THREADS 16

__device__ inline double minmod(double a, double b)
{
    if (a * b <= 0.0)
        return 0.0;
    return fabs(a) < fabs(b) ? a : b;
}

__device__ double rate(const double *u, int i, int n, double viscosity)
{
    double here = u[i], left = u[(i + n - 1) % n], right = u[(i + 1) % n];
    double far_left = u[(i + n - 2) % n], far_right = u[(i + 2) % n];
    double slope;
    if (here > 0.0)
        slope = here - left + 0.5 * (minmod(right - here, here - left) - minmod(here - left, left - far_left));
    else
        slope = right - here - 0.5 * (minmod(far_right - right, right - here) - minmod(right - here, here - left));
    return -here * slope + viscosity * (left - 2.0 * here + right);
}

__global__ void predict(double *half, const double *u, int n, double dt, double viscosity)
{
    int i = threadIdx.x + blockIdx.x * THREADS;
    if (i < n)
        half[i] = u[i] + dt * rate(u, i, n, viscosity);
}

__global__ void correct(double *next, const double *u, const double *half, int n, double dt, double viscosity)
{
    int i = threadIdx.x + blockIdx.x * THREADS;
    if (i < n)
        next[i] = 0.5 * (u[i] + half[i] + dt * rate(half, i, n, viscosity));
}

void transport(double *u, const double *u0, int n, int steps, double viscosity)
{
    double *buffers;
    cudaMalloc((void **)&buffers, 3 * n * sizeof(double));
    double *now = buffers, *half = buffers + n, *next = buffers + 2 * n;
    cudaMemcpy(now, u0, n * sizeof(double), cudaMemcpyHostToDevice);
    double dt = 0.1;
    for (int t = 0; t < steps; t++) {
        int blocks = (n + THREADS - 1) / THREADS;
        predict<<<blocks, THREADS>>>(half, now, n, dt, viscosity);
        correct<<<blocks, THREADS>>>(next, now, half, n, dt, viscosity);
        double *kept = now;
        now = next;
        next = kept;
        if (t == 4)
            dt *= 0.5;
    }
    cudaMemcpy(u, now, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(buffers);
}
