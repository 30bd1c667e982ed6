/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [21], random = 1 }
w = { shape = [3], random = 2 }
y = { zeros = [21] }
n = 21
---*/
// Classes that own memory and convert to pointers, as arguments of copies and fills; vectors that ranges, lists and
// repeated values are inserted into.
#include <cstring>
#include <vector>

__global__ void squares(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] * x[i] + x[(i + 1) % n];
}

class Device {
public:
    explicit Device(size_t n) { cudaMalloc(&at, n * sizeof(double)); }
    ~Device() { cudaFree(at); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    operator double *() { return at; }
    operator const double *() const { return at; }

private:
    double *at;
};

struct Pinned {
    double *at;
    explicit Pinned(size_t n) { cudaMallocHost(&at, n * sizeof(double)); }
    Pinned(const Pinned &) = delete;
    ~Pinned() { cudaFreeHost(at); }
    operator double *() const { return at; }
};

static void bring(double *to, const Device &from, int n)
{
    cudaMemcpy(to, from, n * sizeof(double), cudaMemcpyDeviceToHost);
}

static double weight(const double *w)
{
    std::vector<double> terms(w, w + 3), more;
    more.insert(more.end(), terms.begin(), terms.end());
    more.insert(more.begin() + 1, {terms[0] * terms[1], 0.5 * terms[2]});
    more.insert(more.begin() + 2, 2, terms[1]);
    more.insert(more.begin(), terms.begin() + 1, terms.end());
    double sum = 0.0;
    for (size_t i = 0; i < more.size(); ++i)
        sum += (i + 1) * more[i] * more[more.size() - 1 - i];
    return sum;
}

void run(double *y, const double *x, const double *w, int n)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Device a(n), b(n);
    Pinned h(n);
    memcpy(h, x, n * sizeof(double));
    cudaMemcpyAsync(a, h, n * sizeof(double), cudaMemcpyHostToDevice, stream);
    squares<<<(n + 7) / 8, 8, 0, stream>>>(b, a, n);
    cudaMemset(a, 0, 2 * sizeof(double));
    cudaMemcpy(a + 1, b, (n - 1) * sizeof(double), cudaMemcpyDeviceToDevice);
    bring(h, a, n);
    double factor = weight(w);
    for (int i = 0; i < n; i++)
        y[i] = h[i] * factor * x[n - 1 - i];
    cudaStreamDestroy(stream);
}
