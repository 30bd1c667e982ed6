/*---
function = "go"
wrt = ["u", "v"]
of = ["u", "v"]
[inputs]
u = { shape = [60], random_uniform = 1 }
v = { shape = [60], random_uniform = 2 }
n = 60
flip = 1
[[cases]]
name = "flip"
[[cases]]
name = "same"
inputs = { flip = 0 }
---*/
// Launches that write parts of one buffer or another, chosen at run time, through one argument and through two.
__global__ void two(double *a, double *b, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        a[i] = a[i] * a[i];
        b[n + i] = b[n + i] * a[n + 3];
    }
}

__global__ void one(double *a, const double *b, int from, int to)
{
    int i = from + threadIdx.x;
    if (i < to)
        a[i] = b[i - from + (from > 20 ? 0 : 10)] * b[i - from + (from > 20 ? 5 : 15)] + a[i];
}

void go(double *u, double *v, int n, int flip)
{
    double *p = u, *q = v;
    for (int t = 0; t < 4; t++) {
        double *w = flip && t % 2 ? q : p;
        one<<<1, 32>>>(w + t, v + 20, 3, 9 + t);
        two<<<1, 32>>>(p + 20, p + 30, 4);
        one<<<1, 32>>>(q, u, 45 - t, 49);
        two<<<1, 32>>>(p, q + 10 * t, 3);
        if (flip) {
            double *s = p;
            p = q;
            q = s;
        }
        cudaMemcpy(p + 40, q + 10, (3 + t) * sizeof(double), cudaMemcpyDeviceToDevice);
    }
}
