/*---
function = "march"
wrt = ["position", "force", "weights"]
of = ["position", "history"]
[inputs]
position = { shape = [12], random = 1 }
force = { shape = [12], random = 2 }
history = { zeros = [36] }
fixed = { values = [0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0] }
partners = { values = [3, 5, 12, 0, 7, 8, 4, 6, 9, 2, 1, 10] }
weights = { shape = [3], random = 4 }
n = 12
---*/
// Kernels that change some members of an array of structs, while others of them steer loops and conditions.
struct body {
    double position;
    double force;
    double history[3];
    int fixed;
    int partners;
};

__global__ void pull(body *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < bodies[i].partners; j++) {
            if (bodies[i].fixed && bodies[j].fixed)
                continue;
            atomicAdd(&bodies[j].force, sin(bodies[i].position - bodies[j].position));
        }
}

__global__ void record(body *bodies, const double *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < 3 && k <= bodies[i].partners; k++)
        if (bodies[i].partners > k || bodies[i].fixed)
            bodies[i].history[k] += weights[k] * bodies[i].force * bodies[i].position;
    bodies[i].position += bodies[i].force * bodies[i].history[0];
}

__global__ void pack(body *bodies, const double *position, const double *force, const int *fixed, const int *partners)
{
    int i = threadIdx.x;
    bodies[i].position = position[i];
    bodies[i].force = force[i];
    for (int k = 0; k < 3; k++)
        bodies[i].history[k] = 0.5 * k;
    bodies[i].fixed = fixed[i];
    bodies[i].partners = partners[i];
}

__global__ void unpack(const body *bodies, double *position, double *history)
{
    int i = threadIdx.x;
    position[i] = bodies[i].position * bodies[i].force;
    for (int k = 0; k < 3; k++)
        history[3 * i + k] = bodies[i].history[k];
}

void march(double *position, const double *force, double *history, const int *fixed, const int *partners,
           const double *weights, int n)
{
    body *bodies;
    cudaMalloc((void **)&bodies, n * sizeof(body));
    pack<<<1, n>>>(bodies, position, force, fixed, partners);
    for (int step = 0; step < 2; step++) {
        pull<<<2, 8>>>(bodies, n);
        record<<<3, 5>>>(bodies, weights, n);
    }
    unpack<<<1, n>>>(bodies, position, history);
    cudaFree(bodies);
}
