/*---
function = "run"
wrt = ["u", "w"]
of = ["u"]
[inputs]
u = { shape = [70], random = 1 }
w = { shape = [70], random = 2 }
n = 70
steps = 5
same = 2
c = 0.1

[[cases]]
name = "sometimes"

[[cases]]
name = "never"
inputs = { same = 9 }

[[cases]]
name = "parts_of_one"
function = "parts"
---*/
// Buffers that a loop swaps, and that are one buffer in some of its steps: which it is, only the launch tells.

__global__ void mix(double *out, const double *in, const double *w, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + c * w[(i + 1) % n] * in[i] * in[i];
}

__global__ void spread(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1)
        out[i] = in[i] + c * (in[i - 1] - 2.0 * in[i] + in[i + 1]) * in[i];
}

void run(double *u, const double *w, int n, int steps, int same, double c)
{
    double *a, *b, *d_w;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&d_w, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *to = t % same == same - 1 ? a : b;
        mix<<<(n + 31) / 32, 32>>>(to, a, d_w, n, c);
        if (to != a)
            spread<<<(n + 31) / 32, 32>>>(a, to, n, c);
        double *old = a;
        a = to;
        b = to == b ? old : b;
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d_w);
}

// Two halves of one allocation, and what is one and a half of them apart: there they overlap.
void parts(double *u, const double *w, int n, int steps, int same, double c)
{
    double *a, *d_w;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&d_w, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *from = t % 2 ? a : a + n / 2;
        mix<<<(n + 31) / 32, 32>>>(t % 2 ? a + n / 2 : a, from, d_w, n / 2, c);
        mix<<<1, 1>>>(t % same ? d_w : a, a + 3, d_w + 5, 1, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(d_w);
}
