/*---
function = "push"
wrt = ["position", "velocity"]
of = ["position"]
[inputs]
position = { shape = [33], random = 1 }
velocity = { shape = [33], random = 2 }
charge = { shape = [33], random = 3, low = 1, high = 4 }
n = 33

[[cases]]
name = "by_value"

[[cases]]
name = "in_device_memory"
function = "push_indirectly"
---*/
// Structs that hold device pointers: passed by value to a kernel, and lying in device memory themselves.
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

__global__ void push_from_memory(const struct cloud *c, double dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c->n) {
        c->velocity[i] += dt * field(c, i);
        c->position[i] += dt * c->velocity[i] * c->velocity[i];
    }
}

void push_indirectly(double *position, double *velocity, const int *charge, int n)
{
    struct cloud c = {position, velocity, charge, n};
    struct cloud *d_c;
    cudaMalloc(&d_c, sizeof(struct cloud));
    cudaMemcpy(d_c, &c, sizeof(struct cloud), cudaMemcpyHostToDevice);
    for (int step = 0; step < 2; step++)
        push_from_memory<<<(n + 15) / 16, 16>>>(d_c, 0.1);
    cudaFree(d_c);
}
