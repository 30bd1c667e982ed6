/*---
function = "stencil"
wrt = ["u", "k"]
of = ["v"]
[inputs]
v = { zeros = [5, 6, 7] }
u = { shape = [5, 6, 7], random = 1 }
k = { shape = [7], random = 2 }
nx = 5
ny = 6
nz = 7
---*/
// Three-dimensional grid and block; the coefficient depends on one axis only, so many threads share its adjoint.
__global__ void stencil_kernel(double *v, const double *u, const double *k, int nx, int ny, int nz)
{
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) {
        int i = (x * ny + y) * nz + z;
        double laplace = u[i - 1] + u[i + 1] + u[i - nz] + u[i + nz] + u[i - ny * nz] + u[i + ny * nz] - 6.0 * u[i];
        v[i] = k[z] * laplace * u[i];
    }
}

void stencil(double *v, const double *u, const double *k, int nx, int ny, int nz)
{
    dim3 block(4, 2, 2);
    dim3 grid((nz + 3) / 4, (ny + 1) / 2, (nx + 1) / 2);
    stencil_kernel<<<grid, block>>>(v, u, k, nx, ny, nz);
}
