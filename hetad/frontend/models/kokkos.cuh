// What hetad reads in place of Kokkos, for CUDA: spaces, layouts, traits, mathematics, and what counts owners of memory.
namespace Kokkos {

// --- spaces and layouts --------------------------------------------------------------------------

struct LayoutLeft {};
struct LayoutRight {};
struct LayoutStride {};

struct Cuda;
struct Serial;
template <class E> struct ScratchMemorySpace {
    typedef E execution_space;
};
struct CudaSpace {
    typedef Cuda execution_space;
    typedef CudaSpace memory_space;
};
struct CudaUVMSpace {
    typedef Cuda execution_space;
    typedef CudaUVMSpace memory_space;
};
struct HostSpace {
    typedef Serial execution_space;
    typedef HostSpace memory_space;
};
typedef HostSpace CudaHostPinnedSpace;
typedef HostSpace SharedHostPinnedSpace;
typedef CudaUVMSpace SharedSpace;
struct Cuda {
    typedef Cuda execution_space;
    typedef CudaSpace memory_space;
    typedef LayoutLeft array_layout;
    typedef ScratchMemorySpace<Cuda> scratch_memory_space;
    typedef int size_type;
    void fence(const char * = "") const { cudaDeviceSynchronize(); }
};
struct Serial {
    typedef Serial execution_space;
    typedef HostSpace memory_space;
    typedef LayoutRight array_layout;
    typedef int size_type;
    void fence(const char * = "") const {}
};
typedef Serial OpenMP;
typedef Serial Threads;
typedef Cuda DefaultExecutionSpace;
typedef Serial DefaultHostExecutionSpace;
template <class E, class M> struct Device {
    typedef E execution_space;
    typedef M memory_space;
};

enum { __nowhere, __of_device, __of_both, __of_host, __of_team };
template <class S> struct __space { static constexpr int value = __nowhere; };
template <> struct __space<Cuda> { static constexpr int value = __of_device; };
template <> struct __space<CudaSpace> { static constexpr int value = __of_device; };
template <> struct __space<CudaUVMSpace> { static constexpr int value = __of_both; };
template <> struct __space<Serial> { static constexpr int value = __of_host; };
template <> struct __space<HostSpace> { static constexpr int value = __of_host; };
template <> struct __space<ScratchMemorySpace<Cuda>> { static constexpr int value = __of_team; };
template <class E, class M> struct __space<Device<E, M>> { static constexpr int value = __space<M>::value; };

enum MemoryTraitsFlags { Unmanaged = 1, RandomAccess = 2, Atomic = 4, Restrict = 8, Aligned = 16 };
template <unsigned F> struct MemoryTraits {};
typedef MemoryTraits<1> MemoryUnmanaged;
typedef MemoryTraits<0> MemoryManaged;
typedef MemoryTraits<2> MemoryRandomAccess;
template <class P> struct __flags { static constexpr unsigned value = 0; };
template <unsigned F> struct __flags<MemoryTraits<F>> { static constexpr unsigned value = F; };

template <class P> struct __layout { static constexpr bool is = false; };
template <> struct __layout<LayoutLeft> { static constexpr bool is = true; };
template <> struct __layout<LayoutRight> { static constexpr bool is = true; };
template <> struct __layout<LayoutStride> { static constexpr bool is = true; };

// What the parameters of a view or a policy say, of which each may be missing.
template <class... P> struct __given {
    static constexpr int space = __nowhere;
    static constexpr unsigned flags = 0;
    template <class D> struct layout { typedef D type; };
};
template <class H, class... T> struct __given<H, T...> {
    static constexpr int space = __space<H>::value ? __space<H>::value : __given<T...>::space;
    static constexpr unsigned flags = __flags<H>::value | __given<T...>::flags;
    template <class D> struct layout {
        typedef std::conditional_t<__layout<H>::is, H, typename __given<T...>::template layout<D>::type> type;
    };
};

// --- owners --------------------------------------------------------------------------------------

// Memory and how many share it, on the host's side: on the device these are bits, and lambdas own nothing.
struct __counted_on_device {
    void *memory;
    long *owners;
    __both __counted_on_device() : memory(nullptr), owners(nullptr) {}
    __counted_on_device(const __counted_on_device &o) : memory(o.memory), owners(o.owners)
    {
        if (owners != nullptr)
            ++*owners;
    }
    ~__counted_on_device() { __leave(); }
    __counted_on_device &operator=(const __counted_on_device &o)
    {
        if (o.owners != nullptr)
            ++*o.owners;
        __leave();
        memory = o.memory;
        owners = o.owners;
        return *this;
    }
    void __leave()
    {
        if (owners != nullptr && --*owners == 0) {
            cudaFree(memory);
            free(owners);
        }
    }
};
struct __counted_on_host {
    void *memory;
    long *owners;
    __both __counted_on_host() : memory(nullptr), owners(nullptr) {}
    __counted_on_host(const __counted_on_host &o) : memory(o.memory), owners(o.owners)
    {
        if (owners != nullptr)
            ++*owners;
    }
    ~__counted_on_host() { __leave(); }
    __counted_on_host &operator=(const __counted_on_host &o)
    {
        if (o.owners != nullptr)
            ++*o.owners;
        __leave();
        memory = o.memory;
        owners = o.owners;
        return *this;
    }
    void __leave()
    {
        if (owners != nullptr && --*owners == 0) {
            free(memory);
            free(owners);
        }
    }
};

// --- the program ---------------------------------------------------------------------------------

struct InitializationSettings {};
inline void initialize() {}
inline void initialize(int &, char **) {}
inline void initialize(const InitializationSettings &) {}
inline void finalize() {}
struct ScopeGuard {
    ScopeGuard() {}
    ScopeGuard(int &, char **) {}
};
inline void fence(const char * = "") { cudaDeviceSynchronize(); }
struct Timer {
    double start;
    Timer() : start(0.0) {}
    double seconds() const { return 0.0; }
    void reset() {}
};

// --- mathematics ---------------------------------------------------------------------------------

using ::printf;
using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::hypot;
using std::lgamma;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::make_pair;
using std::max;
using std::min;
using std::pair;
using std::pow;
using std::round;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;
template <class T, size_t N> using Array = std::array<T, N>;
template <class T> __both void kokkos_swap(T &a, T &b)
{
    T held = a;
    a = b;
    b = held;
}
namespace numbers {
template <class T> constexpr T pi_v = T(3.14159265358979323846);
template <class T> constexpr T e_v = T(2.71828182845904523536);
constexpr double pi = 3.14159265358979323846;
constexpr double e = 2.71828182845904523536;
}  // namespace numbers

template <class T, class U> __both void atomic_add(T *p, U v) { atomicAdd(p, T(v)); }
template <class T, class U> __both void atomic_sub(T *p, U v) { atomicAdd(p, T(-v)); }
template <class T> __both void atomic_inc(T *p) { atomicAdd(p, T(1)); }
template <class T> __both void atomic_increment(T *p) { atomicAdd(p, T(1)); }
template <class T, class U> __both T atomic_fetch_add(T *p, U v) { return atomicAdd(p, T(v)); }
template <class T, class U> __both void atomic_max(T *p, U v) { atomicMax(p, T(v)); }
template <class T, class U> __both void atomic_min(T *p, U v) { atomicMin(p, T(v)); }

}  // namespace Kokkos
