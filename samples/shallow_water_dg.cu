// Shallow water by a nodal discontinuous Galerkin method: the volume terms of triangles of order three, a block for
// each.
//
// A block puts the matrices of derivatives and the fluxes at its ten nodes into shared memory; each thread then sums
// the derivatives at one node.  A low-storage Runge-Kutta method of order three advances the state in place.  With
// respect to the state that is the adjoint of the solver, with respect to the geometry and the matrices a study of
// the mesh.  Terms at the faces, which couple the triangles, are left out.
//
// After J. Hesthaven, T. Warburton, Nodal discontinuous Galerkin methods, 2008; the time steps after J. Williamson,
// Low-storage Runge-Kutta schemes, Journal of Computational Physics 35 (1980).

#define NODES 10
#define FIELDS 3

typedef struct {
    double *rx, *sx, *ry, *sy, *area; // of each triangle: the derivatives of its coordinates, and the Jacobian
} Mesh;

__constant__ double gravity = 9.81;

__device__ double pressure(double h)
{
    return 0.5 * gravity * h * h;
}

// A state has, triangle by triangle, the heights at all nodes, then both momenta.
__global__ void volume_terms(const Mesh mesh, const double *d_r, const double *d_s, const double *state, double *rate)
{
    __shared__ double along_x[FIELDS][NODES], along_y[FIELDS][NODES];
    __shared__ double by_r[NODES * NODES], by_s[NODES * NODES];
    int k = blockIdx.x, node = threadIdx.x;

    for (int m = node; m < NODES * NODES; m += blockDim.x) {
        by_r[m] = d_r[m];
        by_s[m] = d_s[m];
    }
    if (node < NODES) {
        int at = k * NODES * FIELDS + node;
        double h = state[at], hu = state[at + NODES], hv = state[at + 2 * NODES];
        double u = hu / h, v = hv / h;
        along_x[0][node] = hu;
        along_x[1][node] = hu * u + pressure(h);
        along_x[2][node] = hu * v;
        along_y[0][node] = hv;
        along_y[1][node] = hv * u;
        along_y[2][node] = hv * v + pressure(h);
    }
    __syncthreads();
    if (node < NODES) {
        for (int f = 0; f < FIELDS; ++f) {
            double x_r = 0, x_s = 0, y_r = 0, y_s = 0;
            for (int m = 0; m < NODES; ++m) {
                x_r += by_r[node * NODES + m] * along_x[f][m];
                x_s += by_s[node * NODES + m] * along_x[f][m];
                y_r += by_r[node * NODES + m] * along_y[f][m];
                y_s += by_s[node * NODES + m] * along_y[f][m];
            }
            double sum = mesh.rx[k] * x_r + mesh.sx[k] * x_s + mesh.ry[k] * y_r + mesh.sy[k] * y_s;
            rate[k * NODES * FIELDS + f * NODES + node] = -sum / mesh.area[k];
        }
    }
}

__global__ void advance_stage(double *state, double *kept, const double *rate, double a, double b, double dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        kept[i] = a * kept[i] + dt * rate[i];
        state[i] += b * kept[i];
    }
}

// `geometry` has rx, sx, ry, sy and area, each of all triangles.
void shallow_water(double *state, const double *geometry, const double *d_r, const double *d_s, double dt,
                   int triangles, int steps)
{
    const double a[3] = {0.0, -5.0 / 9.0, -153.0 / 128.0}, b[3] = {1.0 / 3.0, 15.0 / 16.0, 8.0 / 15.0};
    int n = triangles * NODES * FIELDS;
    double *dev_geometry, *dev_r, *dev_s, *dev_state, *dev_rate, *dev_kept;
    cudaMalloc((void **)&dev_geometry, 5 * triangles * sizeof(double));
    cudaMalloc((void **)&dev_r, NODES * NODES * sizeof(double));
    cudaMalloc((void **)&dev_s, NODES * NODES * sizeof(double));
    cudaMalloc((void **)&dev_state, n * sizeof(double));
    cudaMalloc((void **)&dev_rate, n * sizeof(double));
    cudaMalloc((void **)&dev_kept, n * sizeof(double));
    cudaMemcpy(dev_geometry, geometry, 5 * triangles * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_r, d_r, NODES * NODES * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_s, d_s, NODES * NODES * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dev_state, state, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dev_kept, 0, n * sizeof(double));

    Mesh mesh;
    mesh.rx = dev_geometry;
    mesh.sx = dev_geometry + triangles;
    mesh.ry = dev_geometry + 2 * triangles;
    mesh.sy = dev_geometry + 3 * triangles;
    mesh.area = dev_geometry + 4 * triangles;
    for (int step = 0; step < steps; ++step) {
        for (int stage = 0; stage < 3; ++stage) {
            volume_terms<<<triangles, 32>>>(mesh, dev_r, dev_s, dev_state, dev_rate);
            advance_stage<<<(n + 127) / 128, 128>>>(dev_state, dev_kept, dev_rate, a[stage], b[stage], dt, n);
        }
    }

    cudaMemcpy(state, dev_state, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dev_geometry);
    cudaFree(dev_r);
    cudaFree(dev_s);
    cudaFree(dev_state);
    cudaFree(dev_rate);
    cudaFree(dev_kept);
}
