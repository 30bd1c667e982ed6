/*---
function = "relax"
wrt = ["x", "kappa"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random = 1 }
kappa = 0.2
n = 40
sweeps = 3
---*/
// Errors as C++ programs report them: a class of their own, a macro that throws, handlers that clean up and throw again.
#include <stdexcept>
#include <string>

class DeviceError : public std::runtime_error {
  public:
    explicit DeviceError(const std::string &what) : std::runtime_error(what) {}
};

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t status_ = (call);                                                \
        if (status_ != cudaSuccess)                                                  \
            throw DeviceError(std::string(#call) + ": " + cudaGetErrorString(status_)); \
    } while (0)

__global__ void sweep(double *to, const double *from, double kappa, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double left = i > 0 ? from[i - 1] : 0, right = i + 1 < n ? from[i + 1] : 0;
        to[i] = from[i] + kappa * (left - 2 * from[i] + right) * from[i];
    }
}

static int blocks_of(int n, int block)
{
    if (n <= 0 || block <= 0)
        throw std::invalid_argument("nothing to launch");
    return (n + block - 1) / block;
}

void relax(double *y, const double *x, double kappa, int n, int sweeps)
{
    double *now = nullptr, *next = nullptr;
    try {
        CHECK(cudaMalloc(&now, n * sizeof(double)));
        CHECK(cudaMalloc(&next, n * sizeof(double)));
        CHECK(cudaMemcpy(now, x, n * sizeof(double), cudaMemcpyDeviceToDevice));
        for (int s = 0; s < sweeps; ++s) {
            sweep<<<blocks_of(n, 16), 16>>>(next, now, kappa, n);
            CHECK(cudaGetLastError());
            double *other = now;
            now = next;
            next = other;
        }
        CHECK(cudaMemcpy(y, now, n * sizeof(double), cudaMemcpyDeviceToDevice));
    } catch (const DeviceError &error) {
        cudaFree(now);
        cudaFree(next);
        throw;
    } catch (...) {
        throw;
    }
    CHECK(cudaFree(now));
    CHECK(cudaFree(next));
}
