// CUDA for a C++ compiler: blocks one after the other, a fiber for each thread of a block, each of which goes on to its
// next barrier in turn.  Written without a look at hetad's own run time, whose programs are compared with these.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;

typedef int cudaError_t;
typedef struct Stream *cudaStream_t;
typedef struct Event *cudaEvent_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};

template <class T> int cudaMalloc(T **p, size_t bytes) { return *p = (T *)malloc(bytes + 1), 0; }
static int cudaFree(void *p) { return free(p), 0; }
static int cudaMemset(void *p, int value, size_t bytes) { return memset(p, value, bytes), 0; }
static int cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t = 0) { return cudaMemset(p, value, bytes); }
static int cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) { return memcpy(to, from, bytes), 0; }
static int cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t = 0)
{
    return cudaMemcpy(to, from, bytes, kind);
}
static int cudaStreamCreate(cudaStream_t *) { return 0; }
static int cudaStreamDestroy(cudaStream_t) { return 0; }
static int cudaStreamSynchronize(cudaStream_t) { return 0; }
static int cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return 0; }
static int cudaEventCreate(cudaEvent_t *) { return 0; }
static int cudaEventDestroy(cudaEvent_t) { return 0; }
static int cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return 0; }
static int cudaDeviceSynchronize() { return 0; }

template <class A, class B> auto min(A a, B b) { return a < b ? a : b; }
template <class A, class B> auto max(A a, B b) { return a < b ? b : a; }
template <class T> T atomicAdd(T *p, std::type_identity_t<T> value)
{
    T before = *p;
    *p += value;
    return before;
}

namespace emulated {

const size_t STACK = 256 << 10;

struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack{new char[STACK]};
    dim3 index;
    bool ended = false;
};

static ucontext_t scheduler;
static Fiber *running;
static const std::function<void()> *body;
static double lanes[1024];

static void barrier() { swapcontext(&running->context, &scheduler); }

static void enter()
{
    (*body)();
    running->ended = true;
    barrier();
}

static void block()
{
    std::vector<Fiber> fibers(blockDim.x * blockDim.y * blockDim.z);
    unsigned at = 0;
    for (auto &f : fibers) {
        f.index = dim3(at % blockDim.x, at / blockDim.x % blockDim.y, at / blockDim.x / blockDim.y);
        ++at;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.get();
        f.context.uc_stack.ss_size = STACK;
        makecontext(&f.context, enter, 0);
    }
    for (bool any = true; any;) {
        any = false;
        for (auto &f : fibers) {
            if (f.ended)
                continue;
            running = &f;
            threadIdx = f.index;
            swapcontext(&scheduler, &f.context);
            any = any || !f.ended;
        }
    }
}

struct Launch {
    dim3 grid, threads;
    Launch(dim3 grid, dim3 threads, size_t = 0, cudaStream_t = 0) : grid(grid), threads(threads) {}

    template <class... P, class... A> void run(void (*kernel)(P...), A... arguments)
    {
        const std::function<void()> call = [&] { kernel(arguments...); };
        gridDim = grid;
        blockDim = threads;
        body = &call;
        for (unsigned z = 0; z < grid.z; ++z)
            for (unsigned y = 0; y < grid.y; ++y)
                for (unsigned x = 0; x < grid.x; ++x) {
                    blockIdx = dim3(x, y, z);
                    block();
                }
    }
};

// The value of another lane of the only warp; all take part.
template <class T> T exchanged(T value, int from)
{
    const int lane = threadIdx.x;
    lanes[lane] = value;
    barrier();
    const T found = from < 0 || from >= 32 ? value : (T)lanes[from];
    barrier();
    return found;
}

template <class T> void show(const T *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        printf("%.17g\n", (double)values[i]);
}

}  // namespace emulated

static void __syncthreads() { emulated::barrier(); }
template <class T> T __shfl_sync(unsigned, T v, int from) { return emulated::exchanged(v, from); }
template <class T> T __shfl_up_sync(unsigned, T v, int by) { return emulated::exchanged(v, (int)threadIdx.x - by); }
template <class T> T __shfl_down_sync(unsigned, T v, int by) { return emulated::exchanged(v, (int)threadIdx.x + by); }
