/*---
function = "f"
wrt = ["x"]
[inputs]
x = 0.7
---*/
// Streams and events owned by classes that convert to them, passed to what takes them.
#include <cuda_runtime.h>
#include <cstdlib>
#include <memory>
__global__ void k(double *d, double x) { d[threadIdx.x] = x * x * (threadIdx.x + 1); }
struct Stream { cudaStream_t s; Stream() { cudaStreamCreate(&s); } ~Stream() { cudaStreamDestroy(s); } operator cudaStream_t() const { return s; } cudaStream_t get() const { return s; } };
struct Event { cudaEvent_t e; Event() { cudaEventCreateWithFlags(&e, cudaEventDisableTiming); } ~Event() { cudaEventDestroy(e); } operator cudaEvent_t() { return e; } };
double f(double x)
{
    cudaFree(0);
    cudaFree(nullptr);
    Stream s; Event e;
    double *d, h[4];
    std::unique_ptr<double[], decltype(&std::free)> hh((double *)std::malloc(4 * sizeof(double)), &std::free);
    cudaMallocAsync(&d, 4 * sizeof(double), s);
    k<<<1, 4, 0, s>>>(d, x);
    cudaEventRecord(e, s);
    cudaEventRecord(e);
    cudaStreamWaitEvent(s, e, 0);
    cudaStreamWaitEvent(s, e);
    cudaEventSynchronize(e);
    cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaMemcpyAsync(hh.get(), d, sizeof h, cudaMemcpyDeviceToHost, s.get());
    cudaStreamSynchronize(s);
    cudaFreeAsync(d, s);
    std::unique_ptr<void, decltype(&cudaFreeHost)> keep(nullptr, cudaFreeHost);
    return h[0] + h[3] * hh[2];
}
