/*---
function = "forces"
wrt = ["position", "charge", "alpha"]
of = ["force"]
[inputs]
force = { zeros = [24] }
position = { shape = [24], random = 1 }
charge = { shape = [24], random = 2 }
neighbours = { values = [0, 1, 2, 1, 0, 2, 2, 1, 0] }
alpha = 0.5
---*/
// Particles in boxes: each block loads one neighbouring box after the other into shared memory.
#define PARTICLES 8
#define BOXES 3

typedef struct {
    double v, x, y, z;
} four;

#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

__global__ void forces_kernel(four *force, const four *position, const double *charge, const int *neighbours,
                              double alpha)
{
    __shared__ four mine[PARTICLES];
    __shared__ four theirs[PARTICLES];
    __shared__ double their_charge[PARTICLES];
    double a2 = 2.0 * alpha * alpha;
    int home = blockIdx.x * PARTICLES, t = threadIdx.x;
    if (t < PARTICLES)
        mine[t] = position[home + t];
    __syncthreads();
    for (int k = 0; k < BOXES; k++) {
        int from = neighbours[blockIdx.x * BOXES + k] * PARTICLES;
        if (t < PARTICLES) {
            theirs[t] = position[from + t];
            their_charge[t] = charge[from + t];
        }
        __syncthreads();
        for (int i = t; i < PARTICLES; i += blockDim.x) {
            for (int j = 0; j < PARTICLES; j++) {
                double r2 = mine[i].v + theirs[j].v - DOT(mine[i], theirs[j]);
                double u2 = a2 * r2;
                double vij = exp(-u2);
                double fs = 2.0 * vij;
                force[home + i].v += their_charge[j] * vij;
                force[home + i].x += their_charge[j] * fs * (mine[i].x - theirs[j].x);
                force[home + i].y += their_charge[j] * fs * (mine[i].y - theirs[j].y);
                force[home + i].z += their_charge[j] * fs * (mine[i].z - theirs[j].z);
            }
        }
        __syncthreads();
    }
}

void forces(four *force, const four *position, const double *charge, const int *neighbours, double alpha)
{
    forces_kernel<<<BOXES, 12>>>(force, position, charge, neighbours, alpha);
}
