/*---
function = "trace"
wrt = ["rays", "lenses"]
of = ["rays", "out"]
[inputs]
rays = { shape = [33], random = 1 }
lenses = { shape = [6], random = 2 }
out = { zeros = [33] }
n = 33
---*/
// Structs in kernels: of which only members are meant, with structs and arrays in them, set in branches and loops, in
// lists that are too short; and others that are passed on, pointed to, kept in arrays, or copied as a whole.
struct vec {
    double x, y;
};
struct ray {
    struct vec at, to;
    double path[3];
    int hits;
};
struct lens {
    double power, centre;
};

__device__ double length2(struct vec v)
{
    return v.x * v.x + v.y * v.y;
}

__device__ void turn(struct vec *v, double by)
{
    double old = v->x;
    v->x = old * cos(by) - v->y * sin(by);
    v->y = old * sin(by) + v->y * cos(by);
}

__device__ struct vec middle(struct vec a, struct vec b)
{
    struct vec m = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
    return m;
}

__global__ void trace_kernel(struct ray *rays, const struct lens *lenses, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct ray r = rays[i];
    struct vec start = r.at, drift = {0.1};
    struct vec kept[2];
    for (int k = 0; k < 6; k++) {
        struct lens l = lenses[k];
        double off = r.at.y - l.centre;
        if (off > 0.2) {
            r.to.y -= l.power * off;
            r.hits++;
        } else {
            struct vec before = r.to;
            r.to.x = before.x * 0.9 + l.power * before.y;
        }
        r.path[k % 3] += length2(r.to);
        kept[k % 2] = r.to;
        r.at.x += 0.1 * r.to.x;
        r.at.y += 0.1 * r.to.y;
        drift.y += 0.2 * r.at.x * drift.x;
    }
    turn(&r.at, drift.y);
    struct vec half = middle(start, r.at);
    struct vec swapped = {half.y, half.x};
    half = swapped;
    out[i] = length2(half) * r.path[0] + r.path[1] * kept[1].x - r.path[2] * kept[0].y + 0.1 * r.hits;
    rays[i] = r;
}

void trace(struct ray *rays, const struct lens *lenses, double *out, int n)
{
    trace_kernel<<<(n + 7) / 8, 8>>>(rays, lenses, out, n);
}
