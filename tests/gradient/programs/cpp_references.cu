/*---
function = "normalise"
wrt = ["x"]
of = ["x"]
[launch]
grid = 1
block = 10
[inputs]
x = { shape = [10, 3], random = 1 }
---*/
// C++ references: parameters that are changed, const ones, locals bound to an element and to a member.
struct vec {
    double x, y, z;
};

__device__ double length(const vec &v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

__device__ void scale(double &v, const double &by)
{
    v *= by;
}

__device__ void scale(vec &v, double by);

__device__ void shrink(vec &v, double by)
{
    scale(v.x, by);
    scale(v.y, by);
    scale(v.z, by);
}

__global__ void normalise(double *x)
{
    double &first = x[3 * threadIdx.x];
    vec v = {first, x[3 * threadIdx.x + 1], x[3 * threadIdx.x + 2]};
    double &last = v.z;
    last += first * first;
    shrink(v, 1.0 / length(v));
    first = v.x;
    x[3 * threadIdx.x + 1] = v.y;
    x[3 * threadIdx.x + 2] = last;
}
