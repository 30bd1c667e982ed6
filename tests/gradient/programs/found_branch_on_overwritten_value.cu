/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [400], random_uniform = 1, low = -1.0, high = 0.0 }
---*/
// How much a thread records depends on a branch on what the kernel itself has written: memory from before the launch
// does not tell.
__global__ void kernel(double *w)
{
    int i = threadIdx.x;
    w[i] = cos(w[i]);
    for (int j = 0; j < 3; j++) {
        if (w[i] > 0.171)
            w[i] = 0.5 * w[i] * w[i] / (1.5 + w[i] * w[i]) + 0.3;
        else
            w[i] = sin(w[i]);
    }
    w[i] = 0.5 * w[i];
}

void run(double *x)
{
    kernel<<<1, 400>>>(x);
}
