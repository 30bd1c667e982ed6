/*---
function = "run"
wrt = ["x", "kept"]
of = ["kept", "replaced"]
[inputs]
kept = { shape = [37], random = 1 }
replaced = { shape = [111], random = 2 }
x = { shape = [37], random = 3 }
which = { shape = [111], random = 4, low = 0, high = 2 }
n = 37
---*/
// Each thread changes its number again and again, or stores to others once: in reverse it reads one adjoint that it has
// just changed, or one that nothing changes, by one and the same instruction if the compiler likes.
__global__ void choose(double *kept, double *replaced, const double *x, const int *which, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int t = 0; t < 3; t++) {
        if (which[3 * i + t] > 0)
            kept[i] = kept[i] * x[i] + sin(kept[i]);
        else
            replaced[3 * i + t] = x[i] * x[i];
    }
}

void run(double *kept, double *replaced, const double *x, const int *which, int n)
{
    choose<<<(n + 15) / 16, 16>>>(kept, replaced, x, which, n);
}
