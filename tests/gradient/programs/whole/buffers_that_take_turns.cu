/*---
function = "run"
wrt = ["u", "w"]
of = ["u"]
[inputs]
u = { shape = [41], random = 1 }
w = { shape = [41], random = 2 }
n = 41
steps = 5
stays = 9
c = 0.2

[[cases]]
name = "always"

[[cases]]
name = "one_becomes_the_other"
inputs = { stays = 2 }
---*/
// Three buffers of a struct that take turns: none is another one, until a step leaves two of them the same.

typedef struct {
    double *before, *now, *next;
} Levels;

__global__ void advance(double *next, const double *now, const double *before, const double *w, int n, double c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        next[i] = 0.5 * next[i] + w[i] * now[i] - c * now[i] * before[i];
}

static void turn(Levels *of)
{
    double *oldest = of->before;
    of->before = of->now;
    of->now = of->next;
    of->next = oldest;
}

void run(double *u, const double *w, int n, int steps, int stays, double c)
{
    Levels at;
    double *d_w;
    cudaMalloc(&at.before, n * sizeof(double));
    cudaMalloc(&at.now, n * sizeof(double));
    cudaMalloc(&at.next, n * sizeof(double));
    cudaMalloc(&d_w, n * sizeof(double));
    cudaMemcpy(at.before, u, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(at.now, w, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(at.next, 0, n * sizeof(double));
    cudaMemcpy(d_w, w, n * sizeof(double), cudaMemcpyHostToDevice);
    double *all[3] = {at.before, at.now, at.next};
    for (int t = 0; t < steps; t++) {
        advance<<<(n + 31) / 32, 32>>>(at.next, at.now, at.before, d_w, n, c);
        turn(&at);
    }
    Levels again = at;
    for (int t = 0; t < steps; t++) {
        if (t == stays)
            again.before = again.now;
        advance<<<(n + 31) / 32, 32>>>(again.next, again.now, again.before, d_w, n, c);
        turn(&again);
    }
    cudaMemcpy(u, again.now, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; k++)
        cudaFree(all[k]);
    cudaFree(d_w);
}
