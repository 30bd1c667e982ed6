/*---
function = "rotate"
wrt = ["p", "q"]
of = ["p"]
[launch]
grid = 2
block = 8
[inputs]
p = { shape = [15], random = 1 }
q = { shape = [15], random = 2 }
cell = { shape = [15], random = 3, low = 0, high = 15 }
n = 15

[[cases]]
name = "global"

[[cases]]
name = "shared"
function = "ring"
launch = { grid = 1, block = 15 }
---*/
// double2, float3 and int2: loaded and stored whole, by member, through device functions, in shared memory.
__device__ double2 turn(double2 v, double2 by)
{
    return make_double2(v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x);
}

__global__ void rotate(double2 *p, const float3 *q, const int *cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int2 at = make_int2(cell[i], n - 1 - i);
    float3 f = q[at.x];
    f.x += q[at.y].y * f.z;
    double2 v = p[i];
    v = turn(v, make_double2(f.x, f.y));
    v.y += v.x * v.x;
    p[i] = v;
}

__global__ void ring(double2 *p, const float3 *q, const int *cell, int n)
{
    __shared__ double2 s[15];
    __shared__ float3 f[15];
    int t = threadIdx.x;
    s[t] = p[t];
    f[t] = q[t];
    __syncthreads();
    double2 next = s[(t + 1) % n];
    p[t] = turn(next, s[t]);
    p[t].x += f[cell[t]].x * f[t].z;
}
