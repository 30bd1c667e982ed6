// Kernels that call functions: __device__ functions with parameters of every kind.
//
// A pendulum's angle and speed advance by one step per thread.  `force` takes values, `horner` an array, `advance`
// changes scalars through pointers and calls `force` in turn.  `horner` is called twice: with the coefficients in
// global memory, which all threads share (their adjoints are summed), and with a table of the thread's own.

#define DEGREE 3

// coefficients[0] + coefficients[1] * x + ... + coefficients[DEGREE] * x^DEGREE
__device__ double horner(const double *coefficients, double x)
{
    double value = coefficients[DEGREE];
    for (int k = DEGREE - 1; k >= 0; k--)
        value = value * x + coefficients[k];
    return value;
}

__device__ double force(double angle, double speed, double damping)
{
    return -sin(angle) - damping * speed;
}

// One step of the symplectic Euler method; angle and speed are changed in place.
__device__ void advance(double *angle, double *speed, double damping, double step)
{
    *speed += step * force(*angle, *speed, damping);
    *angle += step * *speed;
}

__global__ void pendulums(double *angle, double *speed, const double *coefficients, double *energy, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double a = angle[i];
        double s = speed[i];
        double local[DEGREE + 1] = {0.5, s, a, 0.25};
        double damping = horner(coefficients, a) * horner(local, 0.1);
        advance(&a, &s, damping, 0.05);
        advance(&a, &s, damping, 0.05);
        angle[i] = a;
        speed[i] = s;
        energy[i] = 0.5 * s * s - cos(a);
    }
}

// All pointers are device pointers; the arrays have n elements, coefficients DEGREE + 1.
void step_pendulums(double *angle, double *speed, const double *coefficients, double *energy, int n)
{
    int threads = 64;
    pendulums<<<(n + threads - 1) / threads, threads>>>(angle, speed, coefficients, energy, n);
}
