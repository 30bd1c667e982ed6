/*---
function = "run"
wrt = ["x", "a", "b", "w"]
of = ["x"]
[inputs]
x = { shape = [37], random = 1 }
w = { shape = [4], random = 2 }
a = 0.7
b = -0.4
n = 37
---*/
// Structs of active numbers that are lists where they are given: to kernels, to functions on both sides, in each other, as
// results and in assignments.
struct Law {
    double scale, shift;
};
struct Pair {
    Law first, second;
    int power;
};

__host__ __device__ Law mixed(Law one, Law other, double t)
{
    return {one.scale + t * other.scale, one.shift * other.shift};
}

__device__ double applied(const Law &law, double x)
{
    return law.scale * sin(x) + law.shift;
}

__global__ void bend(double *x, Law law, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = applied({law.scale * x[i], law.shift}, x[i]);
}

__global__ void twist(double *x, Pair pair, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Law law = mixed(pair.first, {pair.second.shift, x[i]}, 0.3);
        if (pair.power > 1)
            law = {law.shift, law.scale * law.scale};
        x[i] = applied(law, x[i]);
    }
}

void run(double *x, const double *w, double a, double b, int n)
{
    double *dev;
    cudaMalloc(&dev, n * sizeof(double));
    cudaMemcpy(dev, x, n * sizeof(double), cudaMemcpyHostToDevice);
    bend<<<(n + 15) / 16, 16>>>(dev, {a, b * w[0]}, n);
    Law law = mixed({a, w[1]}, {w[2], b}, a * b);
    twist<<<(n + 15) / 16, 16>>>(dev, {{w[3], a}, law, 2}, n);
    law = {law.shift, a};
    twist<<<(n + 15) / 16, 16>>>(dev, {law, {b}, 1}, n);
    cudaMemcpy(x, dev, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dev);
}
