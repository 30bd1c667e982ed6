/*---
function = "march"
wrt = ["u", "v", "c"]
of = ["u", "v", "w"]
[inputs]
u = { shape = [70], random = 1 }
v = { shape = [70], random = 2 }
w = { shape = [70], random = 3 }
c = 0.3
n = 70
[[cases]]
name = "several"
[cases.inputs]
steps = 7
[[cases]]
name = "no_steps"
[cases.inputs]
steps = 0
[[cases]]
name = "checkpoints"
memory_limit = "8kB"
[cases.inputs]
steps = 13
---*/
// Pointers that change places in every way: swaps with a temporary variable in the loop and outside of it, three in
// turn, a swap under a condition, a history that is shifted; and whole numbers that do the same.
__global__ void step_kernel(double *next, const double *now, const double *before, double c, int shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = now[i] + c * now[i] * before[(i + shift) % n] + 0.1 * sin(next[i]);
}

__global__ void mix_kernel(double *a, const double *b, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] * cos(b[i]) + c;
}

void march(double *u, double *v, double *w, double c, int steps, int n)
{
    int blocks = (n + 31) / 32;
    double *before = u, *now = v, *next = w;
    double *tmp;
    int shift = 1, last = 4, older = 7;
    for (int t = 0; t < steps; t++) {
        step_kernel<<<blocks, 32>>>(next, now, before, c, shift, n);
        double *free = before;
        before = now;
        now = next;
        next = free;
        int held = older;
        older = last;
        last = shift;
        shift = held;
        if (t % 3 == 1) {
            tmp = now;
            now = before;
            before = tmp;
            mix_kernel<<<blocks, 32>>>(tmp, next, c, n);
        }
        if (t % 4 == 2) {
            double *first = u;
            u = v;
            v = first;
            shift = last;
            last = older;
            older = 2;
            mix_kernel<<<blocks, 32>>>(u, v, 0.5 * c, n);
        }
    }
    mix_kernel<<<blocks, 32>>>(u, now, c, n);
    before = now;
    now = next;
    mix_kernel<<<blocks, 32>>>(now, before, c, n);
}
