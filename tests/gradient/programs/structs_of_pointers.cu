/*---
function = "push"
wrt = ["position", "velocity"]
of = ["position"]
[inputs]
position = { shape = [33], random = 1 }
velocity = { shape = [33], random = 2 }
charge = { shape = [33], random = 3, low = 1, high = 4 }
n = 33
---*/
// Structs that hold device pointers: passed by value to a kernel.
struct cloud {
    double *position, *velocity;
    const int *charge;
    int n;
};

__device__ double field(const struct cloud *c, int i)
{
    return c->charge[i] * sin(c->position[i]);
}

__global__ void push_kernel(struct cloud c, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c.n) {
        c.velocity[i] += dt * field(&c, i);
        c.position[i] += dt * c.velocity[i] * c.velocity[i];
    }
}

void push(double *position, double *velocity, const int *charge, int n)
{
    struct cloud c = {position, velocity, charge, n};
    for (int step = 0; step < 2; step++)
        push_kernel<<<(n + 15) / 16, 16>>>(c, 0.1);
}
