// Loops of thrust: each is a kernel where iterators lead to the device.
namespace thrust {

inline unsigned __blocks(long n) { return (unsigned)((n + 255) / 256); }
template <class I, class O, class F> __global__ void transform_kernel(I in, O out, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(in[i]);
}
template <class I, class J, class O, class F> __global__ void transform_pairs_kernel(I one, J other, O out, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(one[i], other[i]);
}
template <class I, class O> __global__ void copy_kernel(I in, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
template <class O, class T> __global__ void fill_kernel(O out, T value, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}
template <class O, class T> __global__ void sequence_kernel(O out, T start, T step, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = start + step * T(i);
}
template <class I, class F> __global__ void for_each_kernel(I in, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        f(in[i]);
}
template <class M, class I, class O> __global__ void gather_kernel(M map, I in, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[map[i]];
}
template <class M, class I, class O> __global__ void scatter_kernel(I in, M map, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[map[i]] = in[i];
}

template <bool D, class I, class O, class F> void __transform(I in, O out, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            transform_kernel<<<__blocks(n), 256>>>(in, out, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = f(in[i]);
    }
}
template <class I, class O, class F> O transform(I from, I to, O out, F f)
{
    long n = to - from;
    __transform<__leads<I>::to_device || __leads<O>::to_device>(__raw(from), __raw(out), f, n);
    return out + n;
}
template <class I, class O, class F> O transform(__on_device_policy, I from, I to, O out, F f)
{
    long n = to - from;
    __transform<true>(__raw(from), __raw(out), f, n);
    return out + n;
}
template <bool D, class I, class J, class O, class F> void __transform_pairs(I in, J with, O out, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            transform_pairs_kernel<<<__blocks(n), 256>>>(in, with, out, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = f(in[i], with[i]);
    }
}
template <class I, class J, class O, class F> O transform(I from, I to, J with, O out, F f)
{
    long n = to - from;
    __transform_pairs<__leads<I>::to_device || __leads<O>::to_device>(__raw(from), __raw(with), __raw(out), f, n);
    return out + n;
}
template <class I, class J, class O, class F> O transform(__on_device_policy, I from, I to, J with, O out, F f)
{
    long n = to - from;
    __transform_pairs<true>(__raw(from), __raw(with), __raw(out), f, n);
    return out + n;
}

template <bool D, class I, class F> void __for_each(I in, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            for_each_kernel<<<__blocks(n), 256>>>(in, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            f(in[i]);
    }
}
template <class I, class F> I for_each(I from, I to, F f)
{
    __for_each<__leads<I>::to_device>(__raw(from), f, to - from);
    return to;
}
template <class I, class F> I for_each(__on_device_policy, I from, I to, F f)
{
    __for_each<true>(__raw(from), f, to - from);
    return to;
}
template <class I, class N, class F> I for_each_n(I from, N n, F f)
{
    __for_each<__leads<I>::to_device>(__raw(from), f, (long)n);
    return from + n;
}
template <class I, class N, class F> I for_each_n(__on_device_policy, I from, N n, F f)
{
    __for_each<true>(__raw(from), f, (long)n);
    return from + n;
}

template <class I, class T> void fill(I from, I to, const T &value)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<I>::to_device) {
        if (n > 0)
            fill_kernel<<<__blocks(n), 256>>>(__raw(from), Element(value), n);
    } else {
        Element held = value;
        for (long i = 0; i < n; ++i)
            from[i] = held;
    }
}
template <class I, class T> void sequence(I from, I to, T start, T step)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<I>::to_device) {
        if (n > 0)
            sequence_kernel<<<__blocks(n), 256>>>(__raw(from), Element(start), Element(step), n);
    } else {
        for (long i = 0; i < n; ++i)
            from[i] = start + step * T(i);
    }
}
template <class I, class T> void sequence(I from, I to, T start) { thrust::sequence(from, to, start, T(1)); }
template <class I> void sequence(I from, I to)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    thrust::sequence(from, to, Element(0), Element(1));
}

template <class I, class O> O copy(I from, I to, O out)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<O>::to_device && !std::is_pointer_v<I>) {
        if (n > 0)
            copy_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(out), n);
    } else if constexpr (__leads<O>::to_device) {
        cudaMemcpy(out.at, from, n * sizeof(Element), cudaMemcpyHostToDevice);
    } else if constexpr (__leads<I>::to_device) {
        cudaMemcpy(out, from.at, n * sizeof(Element), cudaMemcpyDeviceToHost);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = from[i];
    }
    return out + n;
}
template <class I, class N, class O> O copy_n(I from, N n, O out) { return thrust::copy(from, from + n, out); }
template <class M, class I, class O> O gather(M from, M to, I in, O out)
{
    long n = to - from;
    if constexpr (__leads<M>::to_device || __leads<I>::to_device || __leads<O>::to_device) {
        if (n > 0)
            gather_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(in), __raw(out), n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = in[from[i]];
    }
    return out + n;
}
template <class I, class M, class O> void scatter(I from, I to, M map, O out)
{
    long n = to - from;
    if constexpr (__leads<M>::to_device || __leads<I>::to_device || __leads<O>::to_device) {
        if (n > 0)
            scatter_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(map), __raw(out), n);
    } else {
        for (long i = 0; i < n; ++i)
            out[map[i]] = from[i];
    }
}

}  // namespace thrust
