/*---
function = "model"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [70] }
x = { shape = [70], random_uniform = 1, low = 0.5, high = 1.5 }
w = { shape = [70], random_uniform = 2, low = 0.5, high = 1.5 }
n = 70
steps = 3
[[cases]]
[[cases]]
name = "no_step"
inputs = { steps = 0 }
---*/
// Structs whose pointers lead to buffers that are swapped, to one buffer, and to parts of one.
struct Buffers {
    double *out;
    const double *in;
    const double *weights;
};

__global__ void step(Buffers b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b.out[i] = b.in[i] * b.in[i] * b.weights[i] + 0.25 * b.in[(i + 1) % n];
}

__global__ void square(Buffers b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b.out[i] = b.in[i] * b.weights[i];
}

void model(double *y, const double *x, const double *w, int n, int steps)
{
    double *a, *b, *weights;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&weights, n * sizeof(double));
    cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(weights, w, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int k = 0; k < steps; ++k) {
        Buffers buffers = {b, a, weights};
        step<<<(n + 31) / 32, 32>>>(buffers, n);
        double *held = a;
        a = b;
        b = held;
    }
    Buffers one = {a, a, a};
    square<<<(n + 31) / 32, 32>>>(one, n);
    Buffers halves = {a, a + n / 2, weights};
    square<<<2, 32>>>(halves, n / 2);
    cudaMemcpy(y, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(weights);
}
