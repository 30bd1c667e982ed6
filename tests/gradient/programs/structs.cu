/*---
function = "advance"
wrt = ["particles", "around"]
of = ["particles"]
[inputs]
particles = { shape = [30], random = 1 }
around = { values = [{ strength = 0.7, turns = 3, centre = { x = 0.1, y = -0.2 } }] }
n = 30
---*/
// Arrays of structs, structs in structs, by value and returned in device code; whole numbers in them have no adjoint.
struct vec {
    double x, y;
};
struct particle {
    struct vec position, velocity;
    int charge;
};
struct field {
    double strength;
    int turns;
    struct vec centre;
};

__device__ struct vec force(struct vec at, const struct field *f)
{
    struct vec result;
    double dx = at.x - f->centre.x, dy = at.y - f->centre.y;
    double scale = f->strength / (1.0 + dx * dx + dy * dy);
    result.x = -scale * dy;
    result.y = scale * dx;
    return result;
}

__global__ void advance_kernel(struct particle *particles, const struct field *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        struct particle *p = &particles[i];
        for (int turn = 0; turn < f->turns; turn++) {
            struct vec a = force(p->position, f);
            p->velocity.x += 0.1 * a.x;
            p->velocity.y += 0.1 * a.y;
            p->position.x += 0.1 * p->velocity.x;
            p->position.y += 0.1 * p->velocity.y;
        }
    }
}

void advance(struct particle *particles, const struct field *around, int n)
{
    advance_kernel<<<(n + 15) / 16, 16>>>(particles, around, n);
}
