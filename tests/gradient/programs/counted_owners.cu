/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [32], random_uniform = 1, low = 0.5, high = 1.5 }
y = { zeros = [32] }
n = 32
steps = 4
shares = 3

[[cases]]

[[cases]]
[cases.inputs]
steps = 0
shares = 0
---*/
// Buffers whose owners are counted in memory of their own: owners come and go in branches and loops, counts are changed
// through other pointers, and are read as numbers.
struct Shared {
    double *data;
    long *owners;
};

struct Shared made(int n)
{
    struct Shared s;
    cudaMalloc((void **)&s.data, n * sizeof(double));
    s.owners = (long *)malloc(sizeof(long));
    *s.owners = 1;
    return s;
}

struct Shared joined(struct Shared s)
{
    if (s.owners != NULL)
        ++*s.owners;
    return s;
}

void left(struct Shared s)
{
    if (s.owners != NULL && --*s.owners == 0) {
        cudaFree(s.data);
        free(s.owners);
    }
}

__global__ void step(double *out, const double *in, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * factor / (1.0 + in[i] * in[(i + 1) % n]);
}

void model(const double *x, double *y, int n, int steps, int shares)
{
    struct Shared now = made(n), next = made(n);
    cudaMemcpy(now.data, x, n * sizeof(double), cudaMemcpyHostToDevice);
    for (int t = 0; t < steps; t++) {
        struct Shared from = joined(now), to = joined(next);
        step<<<1, 32>>>(to.data, from.data, 1.0 + 0.1 * *from.owners, n);
        left(from);
        left(to);
        struct Shared other = now;
        now = next;
        next = other;
    }
    // As many owners as the call says, some of them only behind the loop.
    struct Shared third = joined(now);
    for (int k = 0; k < shares; k++)
        joined(third);
    step<<<1, 32>>>(next.data, third.data, (double)*third.owners, n);
    for (int k = 0; k < shares; k++)
        left(third);
    // Through another pointer, and with two pointers to choose from.
    long *count = third.owners, *either = n > 40 ? third.owners : next.owners;
    *count += 1;
    *either += 1;
    step<<<1, 32>>>(now.data, next.data, 0.5 * *count + 0.25 * *next.owners, n);
    *either -= 1;
    *count -= 1;
    left(third);
    // In each turn a buffer at the same place of the text.
    struct Shared old;
    old.data = NULL;
    old.owners = NULL;
    for (int t = 0; t < steps; t++) {
        struct Shared fresh = made(n);
        step<<<1, 32>>>(fresh.data, now.data, 1.5, n);
        if (t % 2 == 0)
            joined(fresh);
        step<<<1, 32>>>(now.data, fresh.data, (double)*fresh.owners, n);
        left(old);
        old = fresh;
        if (t % 2 == 0)
            left(fresh);
    }
    left(old);
    cudaMemcpy(y, now.data, n * sizeof(double), cudaMemcpyDeviceToHost);
    left(next);
    left(now);
}
