/*---
function = "cool"
wrt = ["t"]
of = ["out"]
[inputs]
out = { zeros = [21] }
t = { shape = [21], random_uniform = 1, low = 0.5, high = 1.5 }
n = 21
---*/
// Memory that host and device share, owned by a class; settings in variables of the device, which the host sets.
__device__ double ambient = 0.25;
__constant__ double rates[3];
__device__ int cells;

template <typename T> class Managed {
  public:
    explicit Managed(int n) : n(n) { cudaMallocManaged(&data, n * sizeof(T)); }
    Managed(const Managed &) = delete;
    ~Managed() { cudaFree(data); }
    T &operator[](int i) { return data[i]; }
    T *begin() { return data; }
    T *end() { return data + n; }

  private:
    T *data;
    const int n;
};

__global__ void step(double *to, const double *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double d = from[i] - ambient;
        to[i] = from[i] - rates[i % 3] * d * fabs(d);
        atomicAdd(&cells, 1);
    }
}

void cool(double *out, const double *t, int n)
{
    Managed<double> own(n);
    const double each[] = {0.1, 0.2, 0.35};
    double around = 0.2;
    int none = 0, done;
    cudaMemcpyToSymbol(rates, each, sizeof each);
    cudaMemcpyToSymbol(ambient, &around, sizeof around);
    cudaMemcpyToSymbol(cells, &none, sizeof none);
    step<<<(n + 7) / 8, 8>>>(own.begin(), t, n);
    cudaDeviceSynchronize();
    double factor = 1;
    for (double &v : own)
        v *= (factor += 0.01);
    own[0] += own[n - 1] * own[n / 2];
    cudaMemcpyFromSymbol(&done, cells, sizeof done);
    if (done != n)
        return;
    step<<<(n + 7) / 8, 8>>>(out, own.begin(), n);
    cudaDeviceSynchronize();
}
