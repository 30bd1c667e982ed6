/*---
function = "forces"
wrt = ["place", "speed", "weight"]
of = ["out"]
[launch]
grid = 3
block = 32
[inputs]
out = { shape = [77], random = 1 }
place = { shape = [108], random = 2 }
speed = { shape = [108], random = 3 }
weight = { shape = [120], random = 4 }
edge = 11
n = 77

[[cases]]
name = "forces"

[[cases]]
name = "narrow_blocks"
launch = { grid = 5, block = 16 }

[[cases]]
name = "blocks_of_no_whole_warps"
launch = { grid = 2, block = 40 }

[[cases]]
name = "few"
inputs = { n = 5 }

[[cases]]
name = "pointer_in_the_loop"
function = "pointer_in_the_loop"

[[cases]]
name = "other_order"
function = "other_order"

[[cases]]
name = "longer_runs"
function = "longer_runs"
---*/
// Corners of elements, which neighbouring threads have in common: pairs of nodes lie next to each other.

struct Vec {
    double x, y, z;
};

#define ELEMENT int e = blockIdx.x * blockDim.x + threadIdx.x; if (e >= n) return;

__device__ int node(int e, int c, int edge) { return e % edge + (c & 1) + (edge + 1) * (e / edge + (c >> 1)) / 3; }

__global__ void forces(double *out, const Vec *place, const Vec *speed, const double *weight, int edge, int n)
{
    ELEMENT
    Vec a[4], b[4];
    for (int c = 0; c < 4; ++c)
        a[c] = place[node(e, c, edge)];
    for (int c = 0; c < 4; ++c)
        b[c] = speed[node(e, c, edge)];
    double sum = 0;
    for (int c = 0; c < 4; ++c)
        sum += sin(a[c].x * b[3 - c].y) + a[c].z * b[c].z * b[(c + 1) % 4].x * weight[e] + a[c].y * a[(c + 2) % 4].x;
    out[e] = sum;
}

__global__ void pointer_in_the_loop(double *out, const Vec *place, const Vec *speed, const double *weight, int edge, int n)
{
    ELEMENT
    double sum = 0;
    for (int c = 0; c < 4; ++c) {
        const int at = node(e, c, edge);
        const Vec *v = place + at, *w = speed + at;
        sum += v->x * v->y * v->z * weight[e] + w->x * v->x + sin(w->y) + w->z * w->z;
    }
    out[e] = sum;
}

// Cells of odd turns lie in front of those of even ones, or a cell behind.
__global__ void other_order(double *out, const Vec *place, const Vec *speed, const double *weight, int edge, int n)
{
    ELEMENT
    double sum = 0;
    for (int c = 0; c < 4; ++c) {
        const Vec *v = place + (e + 1 - (c & 1) + c / 2), *w = speed + (e + 2 * (c & 1));
        sum += v->x * v->y * v->z + w->x * v->x + sin(w->y) + w->z * w->z * weight[e];
    }
    out[e] = sum;
}

__global__ void longer_runs(double *out, const Vec *place, const Vec *speed, const double *weight, int edge, int n)
{
    ELEMENT
    double sum = 0;
    for (int c = 0; c < 2; ++c) {
        const double *w = weight + 4 * (e / 4 + c);
        sum += w[0] * w[1] * w[2] * w[3] + place[e + c].x * place[e + c].y * place[e + c].z;
    }
    for (int c = 5; c >= 0; --c) {
        const double *w = weight + 5 * ((e + c) / 4 % 8 + (c & 1));
        sum += w[0] * w[1] + sin(w[2] * w[3]) * w[4] * speed[e].x;
    }
    out[e] = sum;
}
