/*---
wrt = ["f", "w"]
of = ["f", "out"]
[inputs]
f = { shape = [41], random_uniform = 1, low = 0.5, high = 1.5 }
w = { shape = [41], random_uniform = 2, low = 0.5, high = 1.5 }
out = { zeros = [41] }
n = 41
steps = 5
[[cases]]
function = "helper_steps"
[[cases]]
function = "workspace"
[[cases]]
function = "offsets"
[[cases]]
function = "tree_in_loop"
[[cases]]
function = "early"
[[cases]]
function = "filled"
---*/
// Time loops over periodic neighbours: buffers whose adjoints are zero at times, wholly or in part, that are handed to
// functions, allocated in the loop, swapped, copied to, and filled twice a step.

__global__ void shift(double *to, const double *from, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = sin(from[(i + n - 1) % n]) * w[i] + 0.3;
}

__global__ void scale(double *to, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = to[i] * w[(i + 1) % n];
}

__global__ void flux(double *q, const double *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] = w[i] * w[(i + 1) % n];
}

__global__ void use(double *to, const double *from, const double *q, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = 0.4 * sin(from[i] * q[i]) * q[i];
}

__global__ void total(double *out, const double *v, int n)
{
    __shared__ double s[16];
    int t = threadIdx.x, i = blockIdx.x * 16 + t;
    s[t] = i < n ? v[i] * v[i] : 0;
    __syncthreads();
    for (int h = 8; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

static void two(double *a, double *b, const double *w, int n, int blocks)
{
    shift<<<blocks, 8>>>(b, a, w, n);
    scale<<<blocks, 8>>>(b, w, n);
    shift<<<blocks, 8>>>(a, b, w, n);
}

void helper_steps(double *f, const double *w, double *out, int n, int steps)
{
    double *g;
    cudaMalloc((void **)&g, n * sizeof(double));
    int blocks = (n + 7) / 8;
    two(f, g, w, n, blocks);
    for (int s = 0; s < steps; s++) {
        two(f, g, w, n, blocks);
        if (s % 2)
            two(g, f, w, n, blocks);
    }
    use<<<blocks, 8>>>(out, f, g, n);
    cudaFree(g);
}

void workspace(double *f, const double *w, double *out, int n, int steps)
{
    int blocks = (n + 7) / 8;
    for (int s = 0; s < steps; s++) {
        double *t;
        cudaMalloc((void **)&t, n * sizeof(double));
        shift<<<blocks, 8>>>(t, f, w, n);
        use<<<blocks - 1, 8>>>(out, t, f, n);
        shift<<<blocks, 8>>>(f, t, out, n);
        cudaFree(t);
    }
}

void offsets(double *f, const double *w, double *out, int n, int steps)
{
    int h = n / 2, blocks = (h + 7) / 8;
    for (int s = 0; s < steps; s++) {
        shift<<<blocks, 8>>>(out + h, f, w, h);
        shift<<<blocks, 8>>>(out, f + h, w, h);
        shift<<<blocks, 8>>>(f + 1, out + h, w, h);
        shift<<<blocks, 8>>>(f, out, w, h);
    }
}

void tree_in_loop(double *f, const double *w, double *out, int n, int steps)
{
    int blocks = (n + 15) / 16;
    for (int s = 0; s < steps; s++) {
        total<<<blocks, 16>>>(out, f, n);
        shift<<<blocks, 16>>>(out + 5, f, w, n - 10);
        shift<<<blocks, 16>>>(f, out, w, n);
    }
}

void early(double *f, const double *w, double *out, int n, int steps)
{
    int blocks = (n + 7) / 8;
    double *a = f, *b = out;
    for (int s = 0; s < steps; s++) {
        if (s == 3)
            continue;
        shift<<<blocks, 8>>>(b, a, w, n);
        double *t = a;
        a = b;
        b = t;
        if (s == 1)
            cudaMemcpy(b, w, n * sizeof(double), cudaMemcpyDeviceToDevice);
    }
    use<<<blocks, 8>>>(b, a, w, n);
}

void filled(double *f, const double *w, double *out, int n, int steps)
{
    int blocks = (n + 7) / 8;
    double *q;
    cudaMalloc((void **)&q, n * sizeof(double));
    for (int s = 0; s < steps; s++) {
        flux<<<blocks, 8>>>(q, f, n);
        use<<<blocks, 8>>>(out, f, q, n);
        flux<<<blocks, 8>>>(q, w, n);
        use<<<blocks, 8>>>(f, out, q, n);
    }
    cudaFree(q);
}
