/*---
function = "integrate"
wrt = ["q", "stiffness", "charge"]
of = ["q", "work"]
[inputs]
q = { shape = [9], random = 1 }
work = { zeros = [1] }
stiffness = 1.4
charge = 0.3
n = 9
steps = 3
---*/
// A simulation to which forces are added that derive from one class: kept as plain pointers in an array, chosen by the
// input, deleted in the end; one class derives from another of them.
struct Force {
    double scale = 1.0, done = 0.0;
    virtual ~Force() {}
    virtual void add(const double *q, double *f, int n) = 0;
    virtual double energy(double x) const { return 0.5 * scale * x * x; }
    void note(double x) { done += energy(x); }
};
__global__ void springs(const double *q, double *f, double k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f[i] -= k * (q[i] - (i > 0 ? 0.5 * q[i - 1] : 0.0));
}
__global__ void repulsion(const double *q, double *f, double c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
    for (int j = 0; j < n; ++j)
        if (j != i)
            sum += c * (q[i] - q[j]) / (1.0 + (q[i] - q[j]) * (q[i] - q[j]));
    f[i] += sum;
}
struct Springs : Force {
    double k;
    explicit Springs(double v) : k(v) {}
    void add(const double *q, double *f, int n) override { springs<<<(n + 3) / 4, 4>>>(q, f, k * scale, n); }
};
struct Charges : Force {
    double c;
    explicit Charges(double v) : c(v) { scale = 0.5; }
    void add(const double *q, double *f, int n) override { repulsion<<<(n + 3) / 4, 4>>>(q, f, c, n); }
    double energy(double x) const override { return c * log(1.0 + x * x) + Force::energy(x); }
};
struct Screened : Charges {
    double length;
    Screened(double v, double l) : Charges(v), length(l) {}
    double energy(double x) const override { return Charges::energy(x) * exp(-length); }
};

struct System {
    Force *forces[3];
    int count = 0;
    ~System()
    {
        for (int i = 0; i < count; ++i)
            delete forces[i];
    }
    void take(Force *force) { forces[count++] = force; }
};
__global__ void move(double *q, const double *f, double h, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i] += h * f[i];
}

void integrate(double *q, double *work, double stiffness, double charge, int n, int steps)
{
    double *f, *d;
    cudaMalloc(&f, n * sizeof(double));
    cudaMalloc(&d, n * sizeof(double));
    cudaMemcpy(d, q, n * sizeof(double), cudaMemcpyHostToDevice);
    System all;
    all.take(new Springs(stiffness));
    all.take(new Charges(charge));
    if (n > 4)
        all.take(new Screened(charge * charge, 0.7));
    for (int s = 0; s < steps; ++s) {
        cudaMemset(f, 0, n * sizeof(double));
        for (int i = 0; i < all.count; ++i) {
            all.forces[i]->add(d, f, n);
            all.forces[i]->note(0.1 * s + 0.2);
        }
        move<<<(n + 3) / 4, 4>>>(d, f, 0.1, n);
    }
    for (int i = 0; i < all.count; ++i)
        work[0] += all.forces[i]->done;
    cudaMemcpy(q, d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(f);
    cudaFree(d);
}
