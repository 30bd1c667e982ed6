// A thread for each thread of a block; lanes are at the same place together as `sets` says.  After this comes hetad's text.
#include <atomic>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __CUDA_ARCH__ 900

struct Index {
    unsigned x, y, z;
};

static thread_local Index threadIdx;
static Index blockDim{THREADS, 1, 1};
static thread_local unsigned active;
static std::mutex lock;
static std::map<std::pair<unsigned, unsigned>, std::unique_ptr<std::barrier<>>> barriers;

static unsigned __activemask() { return active; }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __ffs(unsigned x) { return __builtin_ffs(x); }

static void __syncwarp(unsigned mask)
{
    std::barrier<> *barrier;
    {
        std::lock_guard<std::mutex> guard(lock);
        auto &found = barriers[{threadIdx.x / 32, mask}];
        if (!found)
            found = std::make_unique<std::barrier<>>(__popc(mask));
        barrier = found.get();
    }
    barrier->arrive_and_wait();
}

template <class T> static T exchanged(unsigned mask, T value, unsigned source)
{
    static T given[THREADS];
    given[threadIdx.x] = value;
    __syncwarp(mask);
    const T found = given[threadIdx.x / 32 * 32 + source % 32];
    __syncwarp(mask);
    return found;
}

template <class T> static T __shfl_sync(unsigned mask, T value, unsigned source) { return exchanged(mask, value, source); }
template <class T> static T __shfl_up_sync(unsigned mask, T value, unsigned by)
{
    return exchanged(mask, value, threadIdx.x % 32 < by ? threadIdx.x : threadIdx.x - by);
}
template <class T> static T __shfl_down_sync(unsigned mask, T value, unsigned by)
{
    return exchanged(mask, value, threadIdx.x % 32 + by > 31 ? threadIdx.x : threadIdx.x + by);
}

static double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
static long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
static void atomicAdd(double *cell, double value) { std::atomic_ref<double>(*cell).fetch_add(value); }

HETAD

static double found[4096], expected[4096];

// One of nine places of a program, each with a run of another length; of the last four neighbours have cells in common,
// where `thread / 10` is the same.
static void place(int kind, unsigned thread, int round)
{
    const int lengths[] = {12, 8, 3, 5, 4, 6, 2, 10, 4};
    const unsigned apart = kind < 5 ? 7 : lengths[kind] / 2, gap = kind < 5 ? 0 : thread / 10 * 2;
    const unsigned at = (thread * apart + gap + round * 13 + kind * 101) % 4000;
    double values[12];
    for (int i = 0; i < lengths[kind]; ++i) {
        values[i] = thread + i * 0.5 + kind;
        atomicAdd(&expected[at + i], values[i]);
    }
    switch (kind) {
    case 0: return hetad_add_run_double(&found[at], values, 12);
    case 1: return hetad_add_run_double(&found[at], values, 8);
    case 2: return hetad_add_run_double(&found[at], values, 3);
    case 3: return hetad_add_run_double(&found[at], values, 5);
    case 4: return hetad_add_run_double(&found[at], values, 4);
    case 5: return hetad_add_chain_double(&found[at], values, 6);
    case 6: return hetad_add_chain_double(&found[at], values, 2);
    case 7: return hetad_add_chain_double(&found[at], values, 10);
    default: return hetad_add_chain_double(&found[at], values, 4);
    }
}

int main()
{
    const unsigned sets[3][3] = {
        {0xf0f0f0f1u, 0x0f0f0f00u, 0x0000000eu}, {0xffffffffu, 0, 0}, {0x80000001u, 0x7ffffffeu, 0}};
    for (auto &set : sets) {
        barriers.clear();
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < THREADS; ++t)
            threads.emplace_back([&set, t] {
                threadIdx = {t, 0, 0};
                int which = 0;
                while (!(set[which] >> (t % 32) & 1))
                    ++which;
                active = set[which];
                for (int round = 0; round < 3; ++round)
                    for (int k = 0; k < 9; ++k)
                        place((k * (which + 1) + round + t / 32) % 9, t, round);
            });
        for (auto &thread : threads)
            thread.join();
        double worst = 0;
        for (int i = 0; i < 4096; ++i)
            worst = std::fmax(worst, std::fabs(found[i] - expected[i]));
        std::printf("%g\n", worst);
    }
}
