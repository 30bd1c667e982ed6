/*---
function = "swapped"
wrt = ["u"]
of = ["u"]
[inputs]
u = { shape = [70], random = 1 }
n = 70
steps = 5
c = 0.2

[[cases]]
name = "swapped"

[[cases]]
name = "no_steps"
inputs = { steps = 0 }

[[cases]]
name = "by_turns"
function = "by_turns"

[[cases]]
name = "by_turns_backwards"
function = "by_turns"
inputs = { steps = 4 }

[[cases]]
name = "in_structs"
function = "in_structs"

[[cases]]
name = "structs_passed"
function = "structs_passed"

[[cases]]
name = "halves"
function = "halves"

[[cases]]
name = "past_the_end"
function = "past_the_end"

[[cases]]
name = "in_part"
function = "in_part"

[[cases]]
name = "launches_of_any_size"
function = "launches_of_any_size"

[[cases]]
name = "copied"
function = "copied"
inputs = { steps = 2, c = 0.1 }

[[cases]]
name = "early_exit"
function = "early_exit"

[[cases]]
name = "scratch"
function = "scratch"
inputs = { steps = 2, c = 0.05 }

[[cases]]
name = "kept_in_tables"
function = "kept_in_tables"

[[cases]]
name = "two_outputs"
function = "two_outputs"

[[cases]]
name = "refined"
function = "refined"
inputs = { steps = 3, c = 0.05 }

[[cases]]
name = "with_boundaries"
function = "with_boundaries"
inputs = { n = 40 }

[[cases]]
name = "limited"
function = "swapped"
inputs = { steps = 9, c = 0.05 }
memory_limit = "5kB"

[[cases]]
name = "limited_in_turns"
function = "refined"
inputs = { c = 0.02 }
memory_limit = "16kB"
---*/
// Time loops whose kernels overwrite a buffer wholly: the reverse sweep keeps the old one, the program goes on in another.
// Here are the ways in which pointers lead to such a buffer, and launches that overwrite only a part of it after all.

__global__ void step(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + c * in[(i + 1) % n] * in[i];
}

__global__ void in_place(double *u, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] += c * u[i] * u[i];
}

void swapped(double *u, int n, int steps, double c)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        step<<<(n + 31) / 32, 32>>>(b, a, n, c);
        double *old = a;
        a = b;
        b = old;
        if (t % 3 == 1)
            in_place<<<(n + 31) / 32, 32>>>(a, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

void by_turns(double *u, int n, int steps, double c)
{
    double *p[2];
    for (int k = 0; k < 2; k++)
        cudaMalloc(&p[k], n * sizeof(double));
    cudaMemcpy(p[0], u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++)
        step<<<(n + 31) / 32, 32>>>(p[(t + 1) % 2], p[t % 2], n, c);
    cudaMemcpy(u, p[steps % 2], n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(p[0]);
    cudaFree(p[1]);
}

struct Fields {
    double *now, *next;
    int n;
};

static void advance(struct Fields *f, double c)
{
    step<<<(f->n + 31) / 32, 32>>>(f->next, f->now, f->n, c);
    double *old = f->now;
    f->now = f->next;
    f->next = old;
}

void in_structs(double *u, int n, int steps, double c)
{
    struct Fields f;
    f.n = n;
    cudaMalloc(&f.now, n * sizeof(double));
    cudaMalloc(&f.next, n * sizeof(double));
    cudaMemcpy(f.now, u, n * sizeof(double), cudaMemcpyHostToDevice);
    double *first = f.now;
    for (int t = 0; t < steps; t++) {
        advance(&f, c);
        if (f.now == first)
            in_place<<<(n + 31) / 32, 32>>>(first, n, c);
    }
    cudaMemcpy(u, f.now, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(f.now);
    cudaFree(f.next);
}

struct Pair {
    const double *in, *weight;
};

__global__ void weighted(double *out, struct Pair p, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = p.in[i] + c * p.weight[n - 1 - i] * p.in[i];
}

void structs_passed(double *u, int n, int steps, double c)
{
    double *a, *b, *w;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&w, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(w, a, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int t = 0; t < steps; t++) {
        struct Pair p = {a, w};
        weighted<<<(n + 31) / 32, 32>>>(b, p, n, c);
        p.in = b;
        p.weight = b;
        weighted<<<(n + 31) / 32, 32>>>(a, p, n, c);
        p.in = a;
        weighted<<<(n + 31) / 32, 32>>>(w, p, n, c);
    }
    cudaMemcpy(u, w, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(w);
}

// Two halves of one allocation, one of them named by a pointer of its own.
void halves(double *u, int n, int steps, double c)
{
    double *f;
    cudaMalloc(&f, 2 * n * sizeof(double));
    double *mid = f + n;
    cudaMemcpy(f, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        step<<<(n + 31) / 32, 32>>>(mid, f, n, c);
        step<<<(n + 31) / 32, 32>>>(f, mid, n, c);
    }
    cudaMemcpy(u, f, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(f);
}

__global__ void from_the_end(double *out, const double *end, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = end[-1 - i] * (1 + c * end[-1 - (i + 1) % n]);
}

// Pointers just past the end of their memory, which may be the start of other memory.
void past_the_end(double *u, int n, int steps, double c)
{
    double *a, *b, *d;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *end = a + n;
        from_the_end<<<(n + 31) / 32, 32>>>(b, t % 2 ? end : a + n, n, c);
        from_the_end<<<(n + 31) / 32, 32>>>(a, b + n, n, c);
        from_the_end<<<(n + 31) / 32, 32>>>(d, t % 2 ? a + n : b + n, n, c);
        from_the_end<<<(n + 31) / 32, 32>>>(a, (t % 2 ? d : b) + n, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
}

__global__ void interior(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = in[i] + c * in[i] * (in[i - 1] - 2 * in[i] + in[i + 1]);
}

__global__ void evens(double *out, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i < n)
        out[2 * i] = in[2 * i] * (1 + c * in[i]);
}

// All but the ends, and every other cell: what is not overwritten stays.
void in_part(double *u, int n, int steps, double c)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        interior<<<(n + 31) / 32, 32>>>(b, a, n, c);
        in_place<<<1, 3>>>(b, 3, c);
        evens<<<(n + 31) / 32, 32>>>(a, b, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

// Too few threads in some steps, or told to write less.
void launches_of_any_size(double *u, int n, int steps, double c)
{
    double *a, *b;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        step<<<t % 2 + 2, 32>>>(b, a, n, c);
        step<<<(n + 31) / 32, 32>>>(a, b, t % 3 ? n : n - 30, c);
        step<<<t, 32>>>(b, a, 2 * t, c);
        step<<<(n + 31) / 32, 32>>>(a, b, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

// Copies and fills of whole buffers, and of parts.
void copied(double *u, int n, int steps, double c)
{
    double *a, *b, *old;
    size_t size = n * sizeof(double);
    cudaMalloc(&a, size);
    cudaMalloc(&b, size);
    cudaMalloc(&old, size);
    cudaMemcpy(a, u, size, cudaMemcpyHostToDevice);
    cudaMemset(b, 0, size);
    for (int t = 0; t < steps; t++) {
        cudaMemcpy(old, a, size, cudaMemcpyDeviceToDevice);
        in_place<<<(n + 31) / 32, 32>>>(a, n, c);
        step<<<(n + 31) / 32, 32>>>(b, old, n, c);
        in_place<<<(n + 31) / 32, 32>>>(b, n, c);
        cudaMemcpy(a, b, size, cudaMemcpyDeviceToDevice);
        cudaMemset(b, 0, size);
        cudaMemcpy(b, a, size / 2, cudaMemcpyDeviceToDevice);
        in_place<<<(n + 31) / 32, 32>>>(b, n, c);
        cudaMemcpy(u, b, size, cudaMemcpyDeviceToHost);
        u[0] *= u[1];
        cudaMemcpy(a, u, size, cudaMemcpyHostToDevice);
    }
    cudaMemcpy(u, a, size, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(old);
}

void early_exit(double *u, int n, int steps, double c)
{
    double *a, *b, first;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < 10 * steps; t++) {
        step<<<(n + 31) / 32, 32>>>(b, a, n, c);
        cudaMemcpy(&first, b, sizeof(double), cudaMemcpyDeviceToHost);
        if (t > 3 && first < 10.0)
            break;
        step<<<(n + 31) / 32, 32>>>(a, b, n, c);
    }
    cudaMemcpy(u, b, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

// Memory of a step's own, freed in the loop.
void scratch(double *u, int n, int steps, double c)
{
    double *a;
    cudaMalloc(&a, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        double *b, *d;
        cudaMalloc(&b, n * sizeof(double));
        cudaMalloc(&d, n * sizeof(double));
        step<<<(n + 31) / 32, 32>>>(b, a, n, c);
        step<<<(n + 31) / 32, 32>>>(d, b, n, c);
        step<<<(n + 31) / 32, 32>>>(b, d, n, c);
        step<<<(n + 31) / 32, 32>>>(a, b, n, c);
        cudaFree(b);
        step<<<(n + 31) / 32, 32>>>(d, a, n, c);
        step<<<(n + 31) / 32, 32>>>(a, d, n, c);
        cudaFree(d);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
}

__global__ void of_rows(double *out, double **rows, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const double *from = rows[i % 2];
        out[i] = from[i] * (1 + c * from[n - 1 - i]);
    }
}

// Pointers in device memory are not followed by anyone but the kernel.
void kept_in_tables(double *u, int n, int steps, double c)
{
    double *a, *b, *d, **rows;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    cudaMalloc(&rows, 2 * sizeof(double *));
    double *both[2] = {a, b};
    cudaMemcpy(rows, both, sizeof both, cudaMemcpyHostToDevice);
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        of_rows<<<(n + 31) / 32, 32>>>(d, rows, n, c);
        step<<<(n + 31) / 32, 32>>>(a, d, n, c);
        step<<<(n + 31) / 32, 32>>>(b, a, n, c);
    }
    cudaMemcpy(u, b, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
    cudaFree(rows);
}

__global__ void split(double *even, double *odd, const double *in, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        even[i] = in[2 * i] * (1 + c * in[2 * i + 1]);
        odd[i] = in[2 * i + 1] - c * in[2 * i] * in[2 * i];
    }
}

__global__ void joined(double *out, const double *even, const double *odd, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[2 * i] = odd[i] * (1 + c * even[i]);
        out[2 * i + 1] = even[i] - c * odd[i] * even[i];
    }
}

void two_outputs(double *u, int n, int steps, double c)
{
    double *a, *even, *odd;
    int half = n / 2;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&even, half * sizeof(double));
    cudaMalloc(&odd, half * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        split<<<(half + 31) / 32, 32>>>(even, odd, a, half, c);
        joined<<<(half + 31) / 32, 32>>>(a, even, odd, half, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(even);
    cudaFree(odd);
}

// Loops in loops, a copy of the state beside.
void refined(double *u, int n, int steps, double c)
{
    double *a, *b, *coarse;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&coarse, n * sizeof(double));
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        cudaMemcpy(coarse, a, n * sizeof(double), cudaMemcpyDeviceToDevice);
        for (int k = 0; k < 3; k++) {
            step<<<(n + 31) / 32, 32>>>(b, a, n, c);
            step<<<(n + 31) / 32, 32>>>(a, b, n, 0.5 * c);
        }
        step<<<(n + 31) / 32, 32>>>(b, coarse, n, c);
        in_place<<<(n + 31) / 32, 32>>>(b, n, c);
        step<<<(n + 31) / 32, 32>>>(a, b, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(coarse);
}

__global__ void whole(double *out, const double *in, const int *solid, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i == 0 || i == n - 1)
            out[i] = in[i];
        else if (solid[i])
            out[i] = in[i - 1] * in[i + 1];
        else
            out[i] = in[i] + c * in[i] * (in[i - 1] - 2 * in[i] + in[i + 1]);
    }
}

__global__ void marked(int *solid, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        solid[i] = i % 7 == 3;
}

void with_boundaries(double *u, int n, int steps, double c)
{
    double *a, *b;
    int *solid;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&solid, n * sizeof(int));
    marked<<<(n + 31) / 32, 32>>>(solid, n);
    cudaMemcpy(a, u, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        whole<<<(n + 31) / 32, 32>>>(b, a, solid, n, c);
        whole<<<(n + 31) / 32, 32>>>(a, b, solid, n, c);
    }
    cudaMemcpy(u, a, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(solid);
}
