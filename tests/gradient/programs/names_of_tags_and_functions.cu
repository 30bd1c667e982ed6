/*---
function = "decay"
wrt = ["point", "decay"]
of = ["point"]
[inputs]
point = { shape = [40], random = 1 }
decay = { rate = 0.25, steps = 3 }
n = 40
---*/
// C keeps the names of structs apart from those of functions, too; in C++, and in CUDA, a type has its name everywhere.
struct point {
    double x, y;
};

struct decay {
    double rate;
    int steps;
};

__global__ void step(struct point *points, struct decay decay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; i < n && k < decay.steps; ++k) points[i].x -= decay.rate * points[i].x * points[i].y;
}

struct step {
    int threads;
};

void decay(struct point *point, struct decay decay, int n)
{
    struct step shape = {32};
    struct point *held;
    cudaMalloc(&held, n * sizeof(struct point));
    cudaMemcpy(held, point, n * sizeof(struct point), cudaMemcpyHostToDevice);
    step<<<(n + shape.threads - 1) / shape.threads, shape.threads>>>(held, decay, n);
    cudaMemcpy(point, held, n * sizeof(struct point), cudaMemcpyDeviceToHost);
    cudaFree(held);
}
