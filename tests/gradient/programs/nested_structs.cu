/*---
function = "trace"
wrt = ["rays", "s"]
of = ["hit"]
[inputs]
hit = { zeros = [20] }
rays = { shape = [20], random = 1 }
s = { values = [{ centre = { x = 0.1, y = 0.2, z = -0.1 }, radius = 4.0, shine = [0.5, 2.0], id = 3 }] }
n = 20
---*/
// Structs in structs with arrays in them, copied whole, returned, passed on, and changed through pointers to members.
typedef struct {
    float x, y, z;
} vec3;

typedef struct {
    vec3 origin, direction;
} ray;

typedef struct {
    vec3 centre;
    float radius;
    float shine[2];
    int id;
} sphere;

__device__ vec3 minus(vec3 a, vec3 b)
{
    vec3 r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

__device__ float dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ void normalise(vec3 *v)
{
    float s = rsqrtf(dot(*v, *v));
    v->x *= s;
    v->y *= s;
    v->z *= s;
}

__global__ void trace_kernel(float *hit, const ray *rays, const sphere *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    ray r = rays[i];
    sphere ball = *s;
    normalise(&r.direction);
    vec3 to_centre = minus(ball.centre, r.origin);
    float along = dot(to_centre, r.direction);
    float square = ball.radius * ball.radius - (dot(to_centre, to_centre) - along * along);
    ball.shine[i % 2] *= square > 0.0f ? along + sqrtf(square) : 0.0f;
    hit[i] = ball.shine[0] + ball.shine[1] * ball.id;
}

void trace(float *hit, const ray *rays, const sphere *s, int n)
{
    trace_kernel<<<(n + 7) / 8, 8>>>(hit, rays, s, n);
}
