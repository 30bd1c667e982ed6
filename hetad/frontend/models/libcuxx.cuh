// What hetad reads in place of libcu++: the C++ library by another name, and atomics.
namespace std {
enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };
}
namespace cuda {

namespace std = ::std;
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// Sums of active numbers have no result: it would depend on the order of the threads.
template <class T, thread_scope = thread_scope_system> struct atomic_ref {
    T *at;
    __device__ explicit atomic_ref(T &value) : at(&value) {}
    __device__ auto fetch_add(T value, ::std::memory_order = ::std::memory_order_seq_cst) const
    {
        if constexpr (__is_floating_point(T))
            atomicAdd(at, value);
        else
            return atomicAdd(at, value);
    }
    __device__ auto fetch_sub(T value, ::std::memory_order order = ::std::memory_order_seq_cst) const
    {
        return fetch_add(-value, order);
    }
    __device__ void operator+=(T value) const { atomicAdd(at, value); }
    __device__ void operator-=(T value) const { atomicAdd(at, -value); }
};

template <class T = void> struct maximum {
    __both T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void> struct minimum {
    __both T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <> struct maximum<void> {
    template <class T> __both T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <> struct minimum<void> {
    template <class T> __both T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};

}  // namespace cuda
