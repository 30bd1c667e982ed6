// tangent of force_kernel (line 17)
static __global__ void force_kernel_tangent(double *f, const double *x, int n, double *dot_f, double *dot_x)
{
    int i = threadIdx.x;
    if (i < n) {
        double dot_pull_1 = 0;
        double dot_distance = dot_x[i];
        double distance = x[i];
        const double value = 1.0 / distance;
        double dot_inverse = -(value * dot_distance) / distance;
        double inverse = value;
        const double value_2 = exp(-distance);
        double dot_exp_1 = -dot_distance == 0 ? 0 : -(value_2 * dot_distance);
        double exp_1 = value_2;
        dot_pull_1 = 2.0 * inverse * dot_inverse - dot_exp_1;
        double pull_1 = inverse * inverse - exp_1;
        dot_f[i] = dot_pull_1;
        f[i] = pull_1;
    }
}

// tangent of f of forces (line 25) along x
extern "C" void forces_tangent(double *f, const double *x, int n, double *dot_x, double *dot_f)
{
    force_kernel_tangent<<<1, 32>>>(f, x, n, dot_f, dot_x);
}
