// Searches of thrust: counts, extremes, places in what is sorted.  A place is a number, which derivatives follow.
namespace thrust {

template <class F> struct __counts {
    F f;
    template <class T> __both long operator()(const T &value) const { return f(value) ? 1 : 0; }
};
template <class T> struct __equals {
    T value;
    __both bool operator()(const T &other) const { return other == value; }
};
template <class I, class F> long count_if(I from, I to, F f)
{
    return thrust::transform_reduce(from, to, __counts<F>{f}, 0L, plus<long>());
}
template <class I, class F> long count_if(__on_device_policy, I from, I to, F f)
{
    return thrust::transform_reduce(device, from, to, __counts<F>{f}, 0L, plus<long>());
}
template <class I, class T> long count(I from, I to, const T &value)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    return thrust::count_if(from, to, __equals<Element>{Element(value)});
}
template <class I, class F> bool any_of(I from, I to, F f) { return thrust::count_if(from, to, f) > 0; }
template <class I, class F> bool all_of(I from, I to, F f) { return thrust::count_if(from, to, f) == to - from; }
template <class I, class F> bool none_of(I from, I to, F f) { return thrust::count_if(from, to, f) == 0; }

// --- extremes ------------------------------------------------------------------------------------

template <class T> struct __less {
    __both bool operator()(const T &a, const T &b) const { return a < b; }
};
template <class F> struct __reversed {
    F f;
    template <class T> __both bool operator()(const T &a, const T &b) const { return f(b, a); }
};
// Of equal elements the first one is the best.
template <class I, class F> __both long __better(I in, F before, long best, long i)
{
    if (before(in[i], in[best]) || (i < best && !before(in[best], in[i])))
        return i;
    return best;
}
template <class I, class F> __global__ void best_kernel(I in, long *best, F before, long n)
{
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x, step = gridDim.x * (long)blockDim.x;
    if (t < n) {
        long found = t;
        for (long i = t + step; i < n; i += step)
            found = __better(in, before, found, i);
        best[t] = found;
    }
}
template <class I, class F> __global__ void best_of_kernel(I in, long *best, F before, long n)
{
    long found = best[0];
    for (long t = 1; t < n; ++t)
        found = __better(in, before, found, best[t]);
    best[0] = found;
}
template <bool D, class I, class F> long __best(I in, F before, long n)
{
    long found = 0;
    if constexpr (D) {
        if (n > 0) {
            long *best, threads = n < 4096 ? n : 4096;
            cudaMalloc((void **)&best, threads * sizeof(long));
            best_kernel<<<n < 4096 ? __blocks(n) : 16, 256>>>(in, best, before, n);
            best_of_kernel<<<1, 1>>>(in, best, before, threads);
            cudaMemcpy(&found, best, sizeof(long), cudaMemcpyDeviceToHost);
            cudaFree(best);
        }
    } else {
        for (long i = 1; i < n; ++i)
            if (before(in[i], in[found]))
                found = i;
    }
    return found;
}
template <class I, class F> I min_element(I from, I to, F before)
{
    return from + __best<__leads<I>::to_device>(__raw(from), before, to - from);
}
template <class I> I min_element(I from, I to)
{
    return thrust::min_element(from, to, __less<typename std::iterator_traits<I>::value_type>());
}
template <class I, class F> I max_element(I from, I to, F before)
{
    return thrust::min_element(from, to, __reversed<F>{before});
}
template <class I> I max_element(I from, I to)
{
    return thrust::max_element(from, to, __less<typename std::iterator_traits<I>::value_type>());
}
template <class I, class F> pair<I, I> minmax_element(I from, I to, F before)
{
    return pair<I, I>(thrust::min_element(from, to, before), thrust::max_element(from, to, before));
}
template <class I> pair<I, I> minmax_element(I from, I to)
{
    return pair<I, I>(thrust::min_element(from, to), thrust::max_element(from, to));
}

// --- places in what is sorted --------------------------------------------------------------------

// How many elements are before the value, or, for the upper bound, not behind it.
template <class I, class T, class F> __both long __bound(I in, const T &value, F before, bool upper, long n)
{
    long low = 0;
    while (n > 0) {
        long half = n / 2;
        if (upper ? !before(value, in[low + half]) : before(in[low + half], value)) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}
template <class I, class J, class O, class F>
__global__ void bound_kernel(I in, J values, O out, F before, bool upper, long n, long count)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = __bound(in, values[i], before, upper, n);
}
template <class I, class J, class O, class F> O __bounds(I from, I to, J values, long count, O out, F before, bool upper)
{
    if constexpr (__leads<I>::to_device) {
        if (count > 0)
            bound_kernel<<<__blocks(count), 256>>>(__raw(from), __raw(values), __raw(out), before, upper, to - from, count);
    } else {
        for (long i = 0; i < count; ++i)
            out[i] = __bound(from, values[i], before, upper, to - from);
    }
    return out + count;
}
template <class I, class J, class O> O lower_bound(I from, I to, J values, J values_to, O out)
{
    typedef __less<typename std::iterator_traits<I>::value_type> Less;
    return __bounds(from, to, values, values_to - values, out, Less(), false);
}
template <class I, class J, class O> O upper_bound(I from, I to, J values, J values_to, O out)
{
    typedef __less<typename std::iterator_traits<I>::value_type> Less;
    return __bounds(from, to, values, values_to - values, out, Less(), true);
}
template <class I, class T> I __bound_of(I from, I to, const T &value, bool upper)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long place;
    if constexpr (__leads<I>::to_device) {
        device_ptr<long> found = device_malloc<long>(1);
        __bounds(from, to, constant_iterator<Element>(value), 1, found, __less<Element>(), upper);
        place = *found;
        device_free(found);
    } else {
        place = __bound(from, Element(value), __less<Element>(), upper, to - from);
    }
    return from + place;
}
template <class I, class T> I lower_bound(I from, I to, const T &value) { return __bound_of(from, to, value, false); }
template <class I, class T> I upper_bound(I from, I to, const T &value) { return __bound_of(from, to, value, true); }

}  // namespace thrust
