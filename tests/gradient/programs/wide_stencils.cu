/*---
function = "star"
wrt = ["in", "c"]
of = ["out"]
[launch]
grid = [2, 3, 5]
block = [8, 4, 3]
[inputs]
out = { shape = [2500], random = 1 }
in = { shape = [2500], random = 2 }
c = { shape = [4], random = 3 }
nx = 14
ny = 11
nz = 15

[[cases]]
name = "star"

[[cases]]
name = "star_fewer_threads"
launch = { grid = [1, 2, 2], block = [13, 5, 6] }

[[cases]]
name = "star_one_block_of_z"
launch = { grid = [2, 2, 1], block = [8, 6, 12] }

[[cases]]
name = "star_no_inner_cells"
inputs = { nx = 4 }

[[cases]]
name = "star_empty_launch_along_z"
launch = { grid = [2, 3, 1], block = [8, 4, 2] }

[[cases]]
name = "rows"
function = "rows"
wrt = ["in"]
launch = { grid = [2, 7], block = [8, 3] }
inputs = { nz = 3 }

[[cases]]
name = "one_sided"
function = "one_sided"
wrt = ["in"]
launch = { grid = [2, 7], block = [8, 3] }
inputs = { nz = 3 }

[[cases]]
name = "in_place"
function = "in_place"
wrt = ["out", "in"]
of = ["out", "in"]
launch = { grid = [2, 7], block = [8, 3] }
inputs = { nz = 3 }
---*/
// Stencils wide enough that a thread of the gather marches through several of its targets.

__global__ void star(float *out, const float *in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 2 || y < 2 || z < 2 || x >= nx - 2 || y >= ny - 2 || z >= nz - 2)
        return;
    int i = (z * ny + y) * nx + x;
    float sum = c[0] * in[i];
    for (int r = 1; r <= 2; r++)
        sum += c[r] * (in[i - r] + in[i + r] + in[i - r * nx] + in[i + r * nx] + in[i - r * nx * ny] + in[i + r * nx * ny]);
    out[i] = sum;
}

// Both ends of the rows count, so that every thread's targets are cut off somewhere; the bounds differ along the axes.
__global__ void rows(float *out, const float *in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y >= nz && y < ny - nz) {
        float sum = 0.0f;
        for (int k = -3; k <= 3; k++)
            sum += c[k < 0 ? -k : k] * in[(y + k) * nx + x];
        out[y * nx + x] = sum * c[0];
    }
}

// Only what lies ahead: the first targets of the array are never added to, the last are by one thread each.
__global__ void one_sided(float *out, const float *in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx - 1 && y < ny - 6) {
        int k = y * nx + x;
        out[k] = c[0] * in[k + nx] + c[1] * in[k + 2 * nx + 1] + c[2] * in[k + 3 * nx] * in[k + 4 * nx] + c[3] * in[k + 5 * nx]
            + in[k + 6 * nx];
    }
}

// What is read is added to as well: the seeds of `in` are not to be confused with what the stencil adds.
__global__ void in_place(float *out, float *in, const float *c, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y >= 2 && y < ny - 2) {
        int k = y * nx + x;
        out[k] = out[k] * c[1] + c[0] * in[k - 2 * nx] + c[1] * in[k - nx] - c[2] * in[k] + c[2] * in[k + nx] + c[3] * in[k + 2 * nx];
    }
}
