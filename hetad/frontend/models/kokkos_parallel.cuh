// Loops, sums and scans of Kokkos over ranges, as kernels.
namespace Kokkos {

// --- policies ------------------------------------------------------------------------------------

struct Static {};
struct Dynamic {};
template <class S> struct Schedule {};
template <class I> struct IndexType {};
template <unsigned T, unsigned B = 0> struct LaunchBounds {};
enum class Iterate { Default, Left, Right };
template <unsigned N, Iterate O = Iterate::Default, Iterate I = Iterate::Default> struct Rank {};

// What parameters of a policy are that neither place nor shape it: the tag of the functor's call.
template <class T> struct __is_tag { static constexpr bool value = __space<T>::value == __nowhere && !__is_arithmetic(T); };
template <class S> struct __is_tag<Schedule<S>> { static constexpr bool value = false; };
template <class I> struct __is_tag<IndexType<I>> { static constexpr bool value = false; };
template <unsigned T, unsigned B> struct __is_tag<LaunchBounds<T, B>> { static constexpr bool value = false; };
template <unsigned N, Iterate O, Iterate I> struct __is_tag<Rank<N, O, I>> { static constexpr bool value = false; };
template <class... P> struct __tag { typedef void type; };
template <class H, class... T> struct __tag<H, T...> {
    typedef std::conditional_t<__is_tag<H>::value, H, typename __tag<T...>::type> type;
};
template <class... P> struct __axes_of { static constexpr int value = 2; };
template <class H, class... T> struct __axes_of<H, T...> { static constexpr int value = __axes_of<T...>::value; };
template <unsigned N, Iterate O, Iterate I, class... T> struct __axes_of<Rank<N, O, I>, T...> {
    static constexpr int value = N;
};

template <class... P> struct RangePolicy {
    typedef typename __tag<P...>::type work_tag;
    typedef long member_type;
    static constexpr bool on_host = __given<P...>::space == __of_host;
    long from, to;
    RangePolicy(long a, long b) : from(a), to(b) {}
    RangePolicy(const Cuda &, long a, long b) : from(a), to(b) {}
    RangePolicy(const Serial &, long a, long b) : from(a), to(b) {}
    long begin() const { return from; }
    long end() const { return to; }
};

template <int N> struct __point {
    long at[N];
};
template <class... P> struct MDRangePolicy {
    typedef typename __tag<P...>::type work_tag;
    static constexpr bool on_host = __given<P...>::space == __of_host;
    static constexpr int rank = __axes_of<P...>::value;
    typedef __point<rank> point_type;
    point_type lower, upper, tile;
    MDRangePolicy(point_type a, point_type b) : lower(a), upper(b), tile{} {}
    MDRangePolicy(point_type a, point_type b, point_type t) : lower(a), upper(b), tile(t) {}
    unsigned __tile(int k, unsigned wanted) const { return tile.at[k] > 0 ? (unsigned)tile.at[k] : wanted; }
};

template <class T> struct __is_label { static constexpr bool value = false; };
template <size_t N> struct __is_label<char[N]> { static constexpr bool value = true; };
template <size_t N> struct __is_label<const char[N]> { static constexpr bool value = true; };
template <> struct __is_label<char *> { static constexpr bool value = true; };
template <> struct __is_label<const char *> { static constexpr bool value = true; };
template <class P> using __no_label = std::enable_if_t<!__is_label<P>::value>;

template <class P> auto __range(const P &p)
{
    if constexpr (__is_arithmetic(P))
        return RangePolicy<>(0, (long)p);
    else
        return p;
}
inline unsigned __blocks(long n, unsigned block) { return (unsigned)((n + block - 1) / block); }

// The call of a functor, with its tag if it has one.
template <class G, class F, class... I> __both void __call(const F &f, I &&...i)
{
    if constexpr (std::is_same<G, void>::value)
        f(i...);
    else
        f(G(), i...);
}

// The type of the indices that a functor takes; long where several calls, or a template, leave it open.
template <class G, class F> struct __index {
    template <class R, class I, class... A> static I first(R (F::*)(I, A...) const);
    template <class R, class I, class... A> static I behind(R (F::*)(G, I, A...) const);
    template <class R, class I, class... A> static I behind(R (F::*)(const G &, I, A...) const);
};
template <class F> struct __index<void, F> {
    template <class R, class I, class... A> static I first(R (F::*)(I, A...) const);
};
template <class G, class F> std::decay_t<decltype(__index<G, F>::behind(&F::operator()))> __index_type(int);
template <class G, class F>
std::enable_if_t<std::is_same<G, void>::value, std::decay_t<decltype(__index<G, F>::first(&F::operator()))>>
__index_type(int);
template <class G, class F> long __index_type(...);

// --- parallel_for --------------------------------------------------------------------------------

template <class G, class I, class F> __global__ void parallel_for_kernel(F f, I from, I to)
{
    I i = from + (I)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < to)
        __call<G>(f, i);
}
template <class G, class I, class F> __global__ void parallel_for_2d_kernel(F f, I from0, I from1, I to0, I to1)
{
    I i = from0 + (I)(blockIdx.x * blockDim.x + threadIdx.x), j = from1 + (I)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i < to0 && j < to1)
        __call<G>(f, i, j);
}
template <class G, class I, class F>
__global__ void parallel_for_3d_kernel(F f, I from0, I from1, I from2, I to0, I to1, I to2)
{
    I i = from0 + (I)(blockIdx.x * blockDim.x + threadIdx.x), j = from1 + (I)(blockIdx.y * blockDim.y + threadIdx.y);
    I k = from2 + (I)(blockIdx.z * blockDim.z + threadIdx.z);
    if (i < to0 && j < to1 && k < to2)
        __call<G>(f, i, j, k);
}
template <class G, class I, class F>
__global__ void parallel_for_4d_kernel(F f, I from0, I from1, I from2, I from3, I to0, I to1, I to3, I n2)
{
    I i = from0 + (I)(blockIdx.x * blockDim.x + threadIdx.x), j = from1 + (I)(blockIdx.y * blockDim.y + threadIdx.y);
    I rest = (I)(blockIdx.z * blockDim.z + threadIdx.z), k = from2 + rest % n2, l = from3 + rest / n2;
    if (i < to0 && j < to1 && l < to3)
        __call<G>(f, i, j, k, l);
}

template <class... P, class F> void __for(const RangePolicy<P...> &p, const F &f)
{
    typedef typename RangePolicy<P...>::work_tag G;
    if constexpr (RangePolicy<P...>::on_host) {
        for (long i = p.from; i < p.to; ++i)
            __call<G>(f, i);
    } else if (p.from < p.to) {
        typedef decltype(__index_type<G, F>(0)) I;
        parallel_for_kernel<G, I><<<__blocks(p.to - p.from, 256), 256>>>(f, (I)p.from, (I)p.to);
    }
}
template <class G, class F> void __host_for(const __point<2> &a, const __point<2> &b, const F &f)
{
    for (long i = a.at[0]; i < b.at[0]; ++i)
        for (long j = a.at[1]; j < b.at[1]; ++j)
            __call<G>(f, i, j);
}
template <class G, class F> void __host_for(const __point<3> &a, const __point<3> &b, const F &f)
{
    for (long i = a.at[0]; i < b.at[0]; ++i)
        for (long j = a.at[1]; j < b.at[1]; ++j)
            for (long k = a.at[2]; k < b.at[2]; ++k)
                __call<G>(f, i, j, k);
}
template <class... P, class F> void __for(const MDRangePolicy<P...> &p, const F &f)
{
    typedef typename MDRangePolicy<P...>::work_tag G;
    typedef decltype(__index_type<G, F>(0)) I;
    constexpr int rank = MDRangePolicy<P...>::rank;
    const auto &a = p.lower, &b = p.upper;
    long n0 = b.at[0] - a.at[0], n1 = b.at[1] - a.at[1];
    if constexpr (MDRangePolicy<P...>::on_host) {
        __host_for<G>(a, b, f);
    } else if constexpr (rank == 2) {
        unsigned t0 = p.__tile(0, 32), t1 = p.__tile(1, 8);
        if (n0 > 0 && n1 > 0)
            parallel_for_2d_kernel<G, I><<<dim3(__blocks(n0, t0), __blocks(n1, t1)), dim3(t0, t1)>>>(
                f, (I)a.at[0], (I)a.at[1], (I)b.at[0], (I)b.at[1]);
    } else {
        unsigned t0 = p.__tile(0, 32), t1 = p.__tile(1, 4), t2 = p.__tile(2, 2);
        long n2 = b.at[2] - a.at[2];
        if constexpr (rank == 3) {
            if (n0 > 0 && n1 > 0 && n2 > 0)
                parallel_for_3d_kernel<G, I>
                    <<<dim3(__blocks(n0, t0), __blocks(n1, t1), __blocks(n2, t2)), dim3(t0, t1, t2)>>>(
                        f, (I)a.at[0], (I)a.at[1], (I)a.at[2], (I)b.at[0], (I)b.at[1], (I)b.at[2]);
        } else {
            long n3 = b.at[3] - a.at[3];
            if (n0 > 0 && n1 > 0 && n2 > 0 && n3 > 0)
                parallel_for_4d_kernel<G, I>
                    <<<dim3(__blocks(n0, t0), __blocks(n1, t1), __blocks(n2 * n3, t2)), dim3(t0, t1, t2)>>>(
                        f, (I)a.at[0], (I)a.at[1], (I)a.at[2], (I)a.at[3], (I)b.at[0], (I)b.at[1], (I)b.at[3], (I)n2);
        }
    }
}

template <class P, class F> void parallel_for(const char *, const P &p, const F &f) { __for(__range(p), f); }
template <class P, class F, class = __no_label<P>> void parallel_for(const P &p, const F &f) { __for(__range(p), f); }

}  // namespace Kokkos
