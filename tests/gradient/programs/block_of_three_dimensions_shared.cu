/*---
function = "box"
wrt = ["u"]
of = ["v"]
[inputs]
v = { zeros = [5, 6, 7] }
u = { shape = [5, 6, 7], random = 1 }
nx = 5
ny = 6
nz = 7
---*/
// A three-dimensional block on a three-dimensional tile; the index of the thread is made of all three.
__global__ void box_kernel(double *v, const double *u, int nx, int ny, int nz)
{
    __shared__ double tile[2][3][4];
    __shared__ double flat[24];
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.z * blockDim.z + threadIdx.z;
    int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    bool inside = x < nx && y < ny && z < nz;
    int i = (x * ny + y) * nz + z;
    double value = 0.0;
    if (inside)
        value = u[i];
    tile[threadIdx.z][threadIdx.y][threadIdx.x] = value;
    flat[thread] = value * value;
    __syncthreads();
    if (inside)
        v[i] = tile[1 - threadIdx.z][threadIdx.y][3 - threadIdx.x] * flat[(thread + 5) % 24];
}

void box(double *v, const double *u, int nx, int ny, int nz)
{
    dim3 block(4, 3, 2);
    dim3 grid((nz + 3) / 4, (ny + 2) / 3, (nx + 1) / 2);
    box_kernel<<<grid, block>>>(v, u, nx, ny, nz);
}
