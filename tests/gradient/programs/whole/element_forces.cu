/*---
function = "force"
wrt = ["x", "y", "z", "sig"]
of = ["fx", "det"]
inputs = { x = { shape = [27], random_uniform = 1, low = 0.0, high = 1.5 }, y = { shape = [27], random_uniform = 2, low = 0.0, high = 1.5 }, z = { shape = [27], random_uniform = 3, low = 0.0, high = 1.5 }, sig = { shape = [8], random = 4 }, fx = { shape = [27], random = 5 }, det = { shape = [8], random = 6 }, nodelist = { shape = [64], random = 7, low = 0, high = 27 }, elements = 8, vertices = 27 }
---*/
// Forces on the nodes of a mesh: a domain in device memory, node values gathered into local arrays, forces scattered.
typedef double real;
typedef int index_t;
typedef struct { real *x, *y, *z; real *fx; index_t *nodes; index_t elements, vertices; real stiffness; } Domain;
#define MAGNITUDE(v) ((v) < 0 ? -(v) : (v))
__device__ static inline void add_face(real *n0x, real *n0y, real *n1x, real *n1y, const real x0, const real y0, const real x1, const real y1)
{
    real bx = 0.5 * (x1 - x0), by = 0.5 * (y1 - y0);
    real area = 0.25 * (bx * by - by * by * bx);
    *n0x += area; *n1x += area * bx;
    *n0y += area; *n1y += area * by;
}
__device__ static void node_normals(real *pfx, real pfy[8], const real *x, const real y[8])
{
    for (index_t i = 0; i < 8; ++i) { pfx[i] = real(0.0); pfy[i] = real(0.0); }
    add_face(&pfx[0], &pfy[0], &pfx[1], &pfy[1], x[0], y[0], x[1], y[1]);
    add_face(&pfx[0], &pfy[0], &pfx[4], &pfy[4], x[0], y[0], x[5], y[5]);
    add_face(&pfx[1], &pfy[1], &pfx[2], &pfy[2], x[1], y[1], x[6], y[6]);
    add_face(&pfx[7], &pfy[7], &pfx[3], &pfy[3], x[7], y[7], x[2], y[2]);
}
__device__ static real volume(const real *x, const real *y, const real *z)
{
    real d[3] = {x[6] - x[0], y[6] - y[1], z[7] - z[3]};
#define TRIPLE(a, b, c) ((a) * ((b) * (c) - (a) * (a)) + (b) * (c))
    return TRIPLE(d[0], d[1], d[2]) / 12.0;
#undef TRIPLE
}
__global__ void force_kernel(const Domain *domain, real *stress, real *volumes, real *fx_elem)
{
    int k = blockDim.x * blockIdx.x + threadIdx.x;
    if (k < domain->elements) {
        real B[3][8];
        real xl[8], yl[8], zl[8];
        const index_t *node = &domain->nodes[8 * k];
        for (index_t n = 0; n < 8; ++n) {
            index_t g = node[n];
            xl[n] = domain->x[g]; yl[n] = domain->y[g]; zl[n] = domain->z[g];
        }
        node_normals(B[0], B[1], xl, yl);
        node_normals(B[1], B[2], yl, zl);
        volumes[k] = volume(xl, yl, zl);
        real ss = cbrt(MAGNITUDE(volumes[k]) + 0.1);
        for (index_t n = 0; n < 8; ++n) {
            fx_elem[k * 8 + n] = -(stress[k] * B[0][n]) + domain->stiffness * ss * B[2][n];
            atomicAdd(&domain->fx[node[n]], fx_elem[k * 8 + n] * B[1][n]);
        }
    }
}
void force(real *fx, real *det, real *x, real *y, real *z, real *sig, index_t *nodelist, index_t elements, index_t vertices)
{
    Domain host = {}, *domain;
    host.x = x; host.y = y; host.z = z; host.fx = fx; host.nodes = nodelist;
    host.elements = elements; host.vertices = vertices; host.stiffness = 3.0;
    real *fx_elem;
    cudaMalloc((void **)&fx_elem, elements * 8 * sizeof(real));
    cudaMalloc((void **)&domain, sizeof(Domain));
    cudaMemcpy(domain, &host, sizeof(Domain), cudaMemcpyHostToDevice);
    force_kernel<<<(elements + 3) / 4, 4>>>(domain, sig, det, fx_elem);
    cudaFree(fx_elem);
    cudaFree(domain);
}
