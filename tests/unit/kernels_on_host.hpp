// As much of CUDA as checked kernels without barriers need to run on the host, thread by thread.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#define __device__
#define __global__
#define __constant__
#define __shared__ static
#define __restrict__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(n)

struct Index {
    unsigned x, y, z;
};

static Index threadIdx, blockIdx, blockDim, gridDim;

struct LeftThread {};

static void leave_thread() { throw LeftThread(); }
static bool __isShared(const void *) { return false; }
static bool __isLocal(const void *) { return false; }

static int atomicCAS(int *p, int expected, int value)
{
    const int old = *p;
    *p = old == expected ? value : old;
    return old;
}

template <typename T> static T atomicAdd(T *p, T value) { return std::exchange(*p, *p + value); }
template <typename T> static T atomicExch(T *p, T value) { return std::exchange(*p, value); }
static double __longlong_as_double(unsigned long long bits)
{
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename... A, size_t... I>
static void call(void (*kernel)(A...), void **args, std::index_sequence<I...>)
{
    kernel(*(std::remove_reference_t<A> *)args[I]...);
}

template <typename... A>
static int run(void (*kernel)(A...), const unsigned *grid, const unsigned *block, void **args)
{
    gridDim = {grid[0], grid[1], grid[2]}, blockDim = {block[0], block[1], block[2]};
    for (unsigned b = 0; b < grid[0] * grid[1] * grid[2]; ++b)
        for (unsigned t = 0; t < block[0] * block[1] * block[2]; ++t) {
            blockIdx = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]};
            threadIdx = {t % block[0], t / block[0] % block[1], t / block[0] / block[1]};
            try {
                call(kernel, args, std::index_sequence_for<A...>());
            } catch (LeftThread) {
            }
        }
    return 0;
}
