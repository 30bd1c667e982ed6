/*---
function = "residual"
wrt = ["variables", "normals"]
of = ["fluxes"]
[inputs]
fluxes = { zeros = [4, 13] }
variables = { shape = [4, 13], random_uniform = 1, low = 0.9, high = 1.2 }
normals = { shape = [3, 2, 13], random = 2 }
neighbours = { shape = [3, 13], random = 3, low = -2, high = 13 }
n = 13
---*/
// The flux of the Euler equations over the faces of an unstructured mesh: struct results, walls and far field by index.
#define GAMMA 1.4
#define VARIABLES 4

struct state {
    double density, energy, x, y;
};

__device__ inline struct state load(const double *v, int i, int n)
{
    struct state s;
    s.density = v[i];
    s.x = 0.2 * v[i + n];
    s.y = 0.3 * v[i + 2 * n];
    s.energy = 2.0 * v[i + 3 * n];
    return s;
}

__device__ inline double pressure(struct state s)
{
    return (GAMMA - 1.0) * (s.energy - 0.5 * (s.x * s.x + s.y * s.y) / s.density);
}

__device__ inline void flux(struct state s, double p, double nx, double ny, double *f)
{
    double normal = (s.x * nx + s.y * ny) / s.density;
    f[0] = s.density * normal;
    f[1] = s.x * normal + p * nx;
    f[2] = s.y * normal + p * ny;
    f[3] = (s.energy + p) * normal;
}

__global__ void residual_kernel(double *fluxes, const double *variables, const double *normals, const int *neighbours,
                                int n)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    struct state me = load(variables, i, n);
    double p = pressure(me), sound = sqrt(GAMMA * p / me.density);
    double sum[VARIABLES] = {0.0, 0.0, 0.0, 0.0};
#pragma unroll
    for (int j = 0; j < 3; j++) {
        int other = neighbours[j * n + i];
        double nx = normals[(2 * j) * n + i], ny = normals[(2 * j + 1) * n + i];
        double length = sqrt(nx * nx + ny * ny);
        if (other >= 0) {
            struct state their = load(variables, other, n);
            double q = pressure(their), f[VARIABLES], g[VARIABLES];
            double factor = -0.5 * length * (sqrt(me.x * me.x + me.y * me.y) / me.density + sound);
            flux(me, p, nx, ny, f);
            flux(their, q, nx, ny, g);
            for (int k = 0; k < VARIABLES; k++)
                sum[k] += 0.5 * (f[k] + g[k]);
            sum[0] += factor * (me.density - their.density);
            sum[3] += factor * (me.energy - their.energy);
        } else if (other == -1) {
            sum[1] += nx * p;
            sum[2] += ny * p;
        } else {
            struct state far = {1.0, 2.0, 0.3, 0.1};
            double f[VARIABLES];
            flux(far, pressure(far), nx, ny, f);
            for (int k = 0; k < VARIABLES; k++)
                sum[k] += 0.5 * f[k];
        }
    }
    for (int k = 0; k < VARIABLES; k++)
        fluxes[i + k * n] = sum[k];
}

void residual(double *fluxes, const double *variables, const double *normals, const int *neighbours, int n)
{
    residual_kernel<<<(n + 7) / 8, 8>>>(fluxes, variables, normals, neighbours, n);
}
