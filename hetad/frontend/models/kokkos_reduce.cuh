// Reductions and scans of Kokkos: what threads sum up is joined in a kernel, the rest of it on the host.
namespace Kokkos {

// --- reducers ------------------------------------------------------------------------------------

template <class T, class I> struct ValLocScalar {
    T val;
    I loc;
};
template <class T> struct MinMaxScalar {
    T min_val, max_val;
};

// A reducer: what it reduces into, a variable of the host or a view, and how.
#define __REDUCER(NAME, ...)                                                                                         \
    typedef void __reducer;                                                                                          \
    typedef __VA_ARGS__ value_type;                                                                                  \
    static constexpr bool on_device = __space<S>::value == __of_device;                                              \
    value_type *to;                                                                                                  \
    __both NAME(value_type &r) : to(&r) {}                                                                           \
    template <class D, class... P> NAME(const View<D, P...> &v) : to(v.at) {}                                        \
    __both value_type &reference() const { return *to; }

template <class T, class S = void> struct Sum {
    __REDUCER(Sum, T)
    __both static void init(T &v) { v = T(); }
    __both static void join(T &v, const T &w) { v += w; }
};
template <class T, class S = void> struct Prod {
    __REDUCER(Prod, T)
    __both static void init(T &v) { v = T(1); }
    __both static void join(T &v, const T &w) { v *= w; }
};
template <class T, class S = void> struct Max {
    __REDUCER(Max, T)
    __both static void init(T &v) { v = std::numeric_limits<T>::lowest(); }
    __both static void join(T &v, const T &w)
    {
        if (w > v)
            v = w;
    }
};
template <class T, class S = void> struct Min {
    __REDUCER(Min, T)
    __both static void init(T &v) { v = std::numeric_limits<T>::max(); }
    __both static void join(T &v, const T &w)
    {
        if (w < v)
            v = w;
    }
};
template <class T, class I, class S = void> struct MaxLoc {
    __REDUCER(MaxLoc, ValLocScalar<T, I>)
    __both static void init(value_type &v)
    {
        v.val = std::numeric_limits<T>::lowest();
        v.loc = std::numeric_limits<I>::max();
    }
    __both static void join(value_type &v, const value_type &w)
    {
        if (w.val > v.val || (w.val == v.val && w.loc < v.loc)) {
            v.val = w.val;
            v.loc = w.loc;
        }
    }
};
template <class T, class I, class S = void> struct MinLoc {
    __REDUCER(MinLoc, ValLocScalar<T, I>)
    __both static void init(value_type &v)
    {
        v.val = std::numeric_limits<T>::max();
        v.loc = std::numeric_limits<I>::max();
    }
    __both static void join(value_type &v, const value_type &w)
    {
        if (w.val < v.val || (w.val == v.val && w.loc < v.loc)) {
            v.val = w.val;
            v.loc = w.loc;
        }
    }
};
template <class T, class S = void> struct MinMax {
    __REDUCER(MinMax, MinMaxScalar<T>)
    __both static void init(value_type &v)
    {
        v.min_val = std::numeric_limits<T>::max();
        v.max_val = std::numeric_limits<T>::lowest();
    }
    __both static void join(value_type &v, const value_type &w)
    {
        if (w.min_val < v.min_val)
            v.min_val = w.min_val;
        if (w.max_val > v.max_val)
            v.max_val = w.max_val;
    }
};

// The reducer that a result stands for: itself, or a sum.
template <class R> struct __result { typedef Sum<R> reducer; };
template <class T, class S> struct __result<Sum<T, S>> { typedef Sum<T, S> reducer; };
template <class T, class S> struct __result<Prod<T, S>> { typedef Prod<T, S> reducer; };
template <class T, class S> struct __result<Max<T, S>> { typedef Max<T, S> reducer; };
template <class T, class S> struct __result<Min<T, S>> { typedef Min<T, S> reducer; };
template <class T, class I, class S> struct __result<MaxLoc<T, I, S>> { typedef MaxLoc<T, I, S> reducer; };
template <class T, class I, class S> struct __result<MinLoc<T, I, S>> { typedef MinLoc<T, I, S> reducer; };
template <class T, class S> struct __result<MinMax<T, S>> { typedef MinMax<T, S> reducer; };
template <class D, class... P> struct __result<View<D, P...>> { typedef Sum<D> reducer; };

// What starts and joins the values of threads: a functor's own members, or those of the reducer.
template <class F> std::true_type __joins(decltype(&F::join));
template <class F> std::false_type __joins(...);
template <class R, class F, class T> __both void __start(const F &f, T &v)
{
    if constexpr (decltype(__joins<F>(nullptr))::value)
        f.init(v);
    else
        R::init(v);
}
template <class R, class F, class T> __both void __join(const F &f, T &v, const T &w)
{
    if constexpr (decltype(__joins<F>(nullptr))::value)
        f.join(v, w);
    else
        R::join(v, w);
}

// Two results as one.
template <class T, class U> struct __two {
    T one;
    U other;
};
template <class R, class Q> struct __two_reducers {
    typedef __two<typename R::value_type, typename Q::value_type> value_type;
    __both static void init(value_type &v)
    {
        R::init(v.one);
        Q::init(v.other);
    }
    __both static void join(value_type &v, const value_type &w)
    {
        R::join(v.one, w.one);
        Q::join(v.other, w.other);
    }
};
// The call of a functor that adds to a value, or to the parts of one.
template <class G, class F, class T, class... I> __both void __add(const F &f, T &v, I... i) { __call<G>(f, i..., v); }
template <class G, class F, class T, class U, class... I> __both void __add(const F &f, __two<T, U> &v, I... i)
{
    __call<G>(f, i..., v.one, v.other);
}
template <class G, class F, class T, class U, class V, class... I>
__both void __add(const F &f, __two<T, __two<U, V>> &v, I... i)
{
    __call<G>(f, i..., v.one, v.other.one, v.other.other);
}

// --- parallel_reduce -----------------------------------------------------------------------------

template <class G, class R, class F, class T, class I> __global__ void parallel_reduce_kernel(F f, T *sums, I from, I to)
{
    I t = (I)(blockIdx.x * blockDim.x + threadIdx.x), step = (I)(gridDim.x * blockDim.x);
    if (from + t < to) {
        T sum;
        __start<R>(f, sum);
        for (I i = from + t; i < to; i += step)
            __add<G>(f, sum, i);
        sums[t] = sum;
    }
}
template <class G, class R, class F, class T, class I>
__global__ void parallel_reduce_2d_kernel(F f, T *sums, I from0, I from1, I to0, I to1)
{
    I i = from0 + (I)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < to0) {
        T sum;
        __start<R>(f, sum);
        for (I j = from1 + (I)blockIdx.y; j < to1; j += (I)gridDim.y)
            __add<G>(f, sum, i, j);
        sums[i - from0 + (to0 - from0) * (I)blockIdx.y] = sum;
    }
}
template <class G, class R, class F, class T, class I>
__global__ void parallel_reduce_3d_kernel(F f, T *sums, I from0, I from1, I from2, I to0, I to1, I to2)
{
    I i = from0 + (I)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < to0) {
        T sum;
        __start<R>(f, sum);
        for (I j = from1 + (I)blockIdx.y; j < to1; j += (I)gridDim.y)
            for (I k = from2; k < to2; ++k)
                __add<G>(f, sum, i, j, k);
        sums[i - from0 + (to0 - from0) * (I)blockIdx.y] = sum;
    }
}
template <class R, class F, class T> __global__ void join_kernel(F f, const T *sums, T *out, int n)
{
    int t = threadIdx.x;
    if (t < n) {
        T sum = sums[t];
        for (int i = t + 256; i < n; i += 256)
            __join<R>(f, sum, sums[i]);
        out[t] = sum;
    }
}

// Joins what `n` threads have summed up, and frees it.
template <class R, class F, class T> void __join_all(const F &f, T &value, T *sums, long n)
{
    T *out = sums, part[256];
    long count = n < 256 ? n : 256;
    if (n > 256) {
        cudaMalloc((void **)&out, 256 * sizeof(T));
        join_kernel<R><<<1, 256>>>(f, (const T *)sums, out, (int)n);
    }
    cudaMemcpy(part, out, count * sizeof(T), cudaMemcpyDeviceToHost);
    for (long i = 0; i < count; ++i)
        __join<R>(f, value, part[i]);
    if (n > 256)
        cudaFree(out);
    cudaFree(sums);
}
template <class R, class T, class... P, class F> void __reduce(const RangePolicy<P...> &p, const F &f, T &value)
{
    typedef typename RangePolicy<P...>::work_tag G;
    typedef decltype(__index_type<G, F>(0)) I;
    __start<R>(f, value);
    if constexpr (RangePolicy<P...>::on_host) {
        for (I i = (I)p.from; i < (I)p.to; ++i)
            __add<G>(f, value, i);
    } else if (p.from < p.to) {
        T *sums;
        long n = p.to - p.from, threads = n < 65536 ? n : 65536;
        cudaMalloc((void **)&sums, threads * sizeof(T));
        parallel_reduce_kernel<G, R><<<__blocks(threads, 256), 256>>>(f, sums, (I)p.from, (I)p.to);
        __join_all<R>(f, value, sums, threads);
    }
}
template <class R, class T, class... P, class F> void __reduce(const MDRangePolicy<P...> &p, const F &f, T &value)
{
    typedef MDRangePolicy<P...> Policy;
    typedef typename Policy::work_tag G;
    typedef decltype(__index_type<G, F>(0)) I;
    static_assert(Policy::rank < 4 && !Policy::on_host, "a reduction over four axes, or on the host");
    const auto &a = p.lower, &b = p.upper;
    long n0 = b.at[0] - a.at[0], n1 = b.at[1] - a.at[1];
    __start<R>(f, value);
    if (n0 > 0 && n1 > 0) {
        T *sums;
        long lanes = n1 < 64 ? n1 : 64;
        cudaMalloc((void **)&sums, n0 * lanes * sizeof(T));
        if constexpr (Policy::rank == 2)
            parallel_reduce_2d_kernel<G, R>
                <<<dim3(__blocks(n0, 256), (unsigned)lanes), 256>>>(
                    f, sums, (I)a.at[0], (I)a.at[1], (I)b.at[0], (I)b.at[1]);
        else
            parallel_reduce_3d_kernel<G, R>
                <<<dim3(__blocks(n0, 256), (unsigned)lanes), 256>>>(
                    f, sums, (I)a.at[0], (I)a.at[1], (I)a.at[2], (I)b.at[0], (I)b.at[1], (I)b.at[2]);
        __join_all<R>(f, value, sums, n0 * lanes);
    }
}

// Hands a value to a result: a variable, a view without axes, or what a reducer was made with.
template <class T> void __deliver(T &to, const T &value) { to = value; }
template <bool D, class T> void __put(T *to, const T &value)
{
    T held = value;
    if constexpr (D)
        cudaMemcpy(to, &held, sizeof(T), cudaMemcpyHostToDevice);
    else
        *to = held;
}
template <class D, class... P> void __deliver(const View<D, P...> &to, const D &value)
{
    __put<View<D, P...>::__where == __of_device>(to.at, value);
}
template <class R> void __deliver(const R &to, const typename R::value_type &value, typename R::__reducer * = nullptr)
{
    __put<R::on_device>(to.to, value);
}

template <class P, class F, class R> void __reduce_into(const P &p, const F &f, R &&r)
{
    typedef typename __result<std::decay_t<R>>::reducer Reducer;
    typename Reducer::value_type value;
    __reduce<Reducer>(__range(p), f, value);
    __deliver(r, value);
}
template <class P, class F, class R, class Q> void __reduce_into(const P &p, const F &f, R &&r, Q &&q)
{
    typedef __two_reducers<typename __result<std::decay_t<R>>::reducer, typename __result<std::decay_t<Q>>::reducer> Both;
    typename Both::value_type value;
    __reduce<Both>(__range(p), f, value);
    __deliver(r, value.one);
    __deliver(q, value.other);
}
template <class P, class F, class R, class Q, class S> void __reduce_into(const P &p, const F &f, R &&r, Q &&q, S &&s)
{
    typedef __two_reducers<typename __result<std::decay_t<Q>>::reducer, typename __result<std::decay_t<S>>::reducer> Rest;
    typedef __two_reducers<typename __result<std::decay_t<R>>::reducer, Rest> All;
    typename All::value_type value;
    __reduce<All>(__range(p), f, value);
    __deliver(r, value.one);
    __deliver(q, value.other.one);
    __deliver(s, value.other.other);
}
template <class P, class F, class... R> void parallel_reduce(const char *, const P &p, const F &f, R &&...r)
{
    __reduce_into(p, f, r...);
}
template <class P, class F, class... R, class = __no_label<P>> void parallel_reduce(const P &p, const F &f, R &&...r)
{
    __reduce_into(p, f, r...);
}

// --- parallel_scan -------------------------------------------------------------------------------

template <class G, class F, class T, class I> __global__ void scan_sums_kernel(F f, T *sums, I from, I to, I part)
{
    I t = (I)(blockIdx.x * blockDim.x + threadIdx.x), first = from + t * part;
    if (first < to) {
        T sum = T();
        for (I i = first; i < first + part && i < to; ++i)
            __call<G>(f, i, sum, false);
        sums[t] = sum;
    }
}
template <class G, class F, class T, class I> __global__ void scan_kernel(F f, const T *before, I from, I to, I part)
{
    I t = (I)(blockIdx.x * blockDim.x + threadIdx.x), first = from + t * part;
    if (first < to) {
        T sum = before[t];
        for (I i = first; i < first + part && i < to; ++i)
            __call<G>(f, i, sum, true);
    }
}
template <class T, class... P, class F> void __scan(const RangePolicy<P...> &p, const F &f, T &total)
{
    typedef typename RangePolicy<P...>::work_tag G;
    typedef decltype(__index_type<G, F>(0)) I;
    total = T();
    if (p.from < p.to) {
        long n = p.to - p.from, part = (n + 1023) / 1024;
        long parts = (n + part - 1) / part;
        T *sums, before[1024];
        cudaMalloc((void **)&sums, parts * sizeof(T));
        scan_sums_kernel<G><<<__blocks(parts, 128), 128>>>(f, sums, (I)p.from, (I)p.to, (I)part);
        cudaMemcpy(before, sums, parts * sizeof(T), cudaMemcpyDeviceToHost);
        for (long t = 0; t < parts; ++t) {
            T own = before[t];
            before[t] = total;
            total += own;
        }
        cudaMemcpy(sums, before, parts * sizeof(T), cudaMemcpyHostToDevice);
        scan_kernel<G><<<__blocks(parts, 128), 128>>>(f, (const T *)sums, (I)p.from, (I)p.to, (I)part);
        cudaFree(sums);
    }
}
// The type that a functor sums up.
template <class F> struct __summed {
    template <class R, class I, class T> static T value(R (F::*)(I, T &, bool) const);
};
template <class P, class F> void __scan_of(const P &p, const F &f)
{
    decltype(__summed<F>::value(&F::operator())) total;
    __scan(__range(p), f, total);
}
template <class P, class F> void parallel_scan(const char *, const P &p, const F &f) { __scan_of(p, f); }
template <class P, class F, class = __no_label<P>> void parallel_scan(const P &p, const F &f) { __scan_of(p, f); }
template <class P, class F, class T> void parallel_scan(const char *, const P &p, const F &f, T &total)
{
    __scan(__range(p), f, total);
}
template <class P, class F, class T, class = __no_label<P>> void parallel_scan(const P &p, const F &f, T &total)
{
    __scan(__range(p), f, total);
}

}  // namespace Kokkos
