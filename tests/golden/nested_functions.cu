/*---
function = "solve"
wrt = ["u", "f"]
of = ["u"]
[inputs]
u = { shape = [21], random = 1 }
v = { zeros = [21] }
f = { shape = [21], random = 2 }
n = 21
---*/
// Host functions in each other, called from several places: what the gradient does for a call is a function again.
__global__ void smooth(double *v, const double *u, const double *f, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = u[i] + w * (f[i] - u[i] * u[i]);
}

__global__ void scale(double *u, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] *= a;
}

static double square_of_norm(const double *u, int n)
{
    double host[32], sum = 1.0;
    cudaMemcpy(host, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += host[i] * host[i];
    return sum;
}

static void relax(double *u, double *v, const double *f, int n, int times)
{
    for (int k = 0; k < times; k++) {
        double w = 0.1 / square_of_norm(u, n);
        smooth<<<(n + 7) / 8, 8>>>(v, u, f, w, n);
        smooth<<<(n + 7) / 8, 8>>>(u, v, f, w, n);
    }
}

void solve(double *u, double *v, const double *f, int n)
{
    relax(u, v, f, n, 1);
    double before = square_of_norm(u, n);
    for (int cycle = 0; cycle < 2; cycle++)
        relax(u, v, f, n, 2);
    double after = square_of_norm(u, n);
    scale<<<(n + 7) / 8, 8>>>(u, before / after, n);
    relax(u, v, f, n, 1);
}
