/*---
function = "push_indirectly"
wrt = ["position", "velocity"]
of = ["position"]
help = "in a struct by value"
---*/
// Pointers in a struct that lies in device memory.
struct cloud {
    double *position, *velocity;
    const int *charge;
    int n;
};

__device__ double field(const struct cloud *c, int i)
{
    return c->charge[i] * sin(c->position[i]); // expected-error @31: loaded from memory that hetad does not follow
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
