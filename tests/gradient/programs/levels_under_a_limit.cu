/*---
function = "wave"
wrt = ["start", "speed"]
of = ["record"]
memory_limit = 4600
[inputs]
record = { zeros = [15] }
start = { shape = [2, 31], random = 1 }
speed = { shape = [31], random_uniform = 2, low = 0.3, high = 0.8 }
n = 31
steps = 15

[[cases]]
name = "by_index"

[[cases]]
name = "in_a_struct"
function = "wave_in_struct"
---*/
// Time levels allocated in a loop, reached by index or moved on by hand, under a memory limit; of the pointers some have
// no value at first, and some lead to the same memory for a while.
#define LEVELS 3
typedef struct { double *level[LEVELS], *spare, gain; const double *speed; } Field;

__global__ void advance(double *next, const double *now, const double *before, const double *speed, double gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double left = i > 0 ? now[i - 1] : 0.0, right = i < n - 1 ? now[i + 1] : 0.0;
    next[i] = 2 * now[i] - before[i] + speed[i] * speed[i] * (left - 2 * now[i] + right) - gain * now[i] * now[i];
}

void wave(double *record, const double *start, const double *speed, int n, int steps)
{
    double *level[LEVELS + 1], *last, *d_speed;
    size_t bytes = n * sizeof(double);
    for (int l = 0; l < LEVELS; ++l)
        cudaMalloc((void **)&level[l], bytes);
    cudaMalloc((void **)&d_speed, bytes);
    cudaMemcpy(d_speed, speed, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(level[0], start, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(level[1], start + n, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        double *next = level[(t + 2) % 3];
        advance<<<(n + 7) / 8, 8>>>(next, level[(t + 1) % 3], level[t % 3], d_speed, 0.01, n);
        if (t > 2 && t % 4 == 0)
            advance<<<1, 8>>>(last, next, next, d_speed, 0.01, n / 4);
        last = level[(t + 1) % 3];
        cudaMemcpy(record + t, next + n / 2, sizeof(double), cudaMemcpyDeviceToHost);
    }
    for (int l = 0; l < LEVELS; ++l)
        cudaFree(level[l]);
    cudaFree(d_speed);
}

static void move_on(Field *f)
{
    f->spare = f->level[0];
    f->level[0] = f->level[1];
    f->level[1] = f->level[2];
    f->level[2] = f->spare;
}

void wave_in_struct(double *record, const double *start, const double *speed, int n, int steps)
{
    Field f;
    double *d_speed;
    size_t bytes = n * sizeof(double);
    f.gain = 0.01;
    for (int l = 0; l < LEVELS; ++l)
        cudaMalloc((void **)&f.level[l], bytes);
    cudaMalloc((void **)&d_speed, bytes);
    cudaMemcpy(d_speed, speed, bytes, cudaMemcpyHostToDevice);
    f.speed = d_speed;
    cudaMemcpy(f.level[0], start, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(f.level[1], start + n, bytes, cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; ++t) {
        double v;
        advance<<<(n + 7) / 8, 8>>>(f.level[2], f.level[1], f.level[0], f.speed, f.gain, n);
        cudaMemcpy(&v, f.level[2] + t % n, sizeof v, cudaMemcpyDeviceToHost);
        record[t] = v * f.gain;
        f.gain += 0.001 * v;
        move_on(&f);
    }
    for (int l = 0; l < LEVELS; ++l)
        cudaFree(f.level[l]);
    cudaFree(d_speed);
}
