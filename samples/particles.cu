// Charged particles in a trap, an array of structs, moved by the leapfrog scheme.
//
// Every particle feels a harmonic trap and the repulsion of all others.  Its struct holds vectors, a charge, and a whole
// number that says which kind it is; the gradient has the same form, structs whose floating fields are adjoints and whose
// whole numbers are 0.  Positions are read by all threads while they are computed anew, so two arrays take turns.

typedef struct {
    double x, y, z;
} vec;

typedef struct {
    vec position, velocity;
    double charge;
    int kind;
} particle;

// Masses by kind.
__constant__ double mass[3] = {1.0, 2.0, 4.0};

__device__ vec acceleration(const particle *all, int i, int n, double trap, double softening)
{
    vec at = all[i].position;
    vec force = {-trap * at.x, -trap * at.y, -trap * at.z};
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        vec d = {at.x - all[j].position.x, at.y - all[j].position.y, at.z - all[j].position.z};
        double inverse = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + softening);
        double strength = all[i].charge * all[j].charge * inverse * inverse * inverse;
        force.x += strength * d.x;
        force.y += strength * d.y;
        force.z += strength * d.z;
    }
    double m = mass[all[i].kind];
    force.x /= m;
    force.y /= m;
    force.z /= m;
    return force;
}

__global__ void leapfrog(particle *next, const particle *now, int n, double trap, double softening, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle p = now[i];
    vec a = acceleration(now, i, n, trap, softening);
    p.velocity.x += dt * a.x;
    p.velocity.y += dt * a.y;
    p.velocity.z += dt * a.z;
    p.position.x += dt * p.velocity.x;
    p.position.y += dt * p.velocity.y;
    p.position.z += dt * p.velocity.z;
    next[i] = p;
}

// Device pointers to n particles each; after an even number of steps the result lies in `particles`.
void move(particle *particles, particle *work, int n, double trap, double softening, double dt, int steps)
{
    for (int step = 0; step < steps; step += 2) {
        leapfrog<<<(n + 31) / 32, 32>>>(work, particles, n, trap, softening, dt);
        leapfrog<<<(n + 31) / 32, 32>>>(particles, work, n, trap, softening, dt);
    }
}
