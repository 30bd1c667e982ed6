// Sums and scans of thrust: up to 4096 threads, or 256, sum up what is theirs; the host does the rest.
namespace thrust {

template <class I, class T, class F> __global__ void reduce_kernel(I in, T *sums, F f, long n)
{
    long t = blockIdx.x * (long)blockDim.x + threadIdx.x, step = gridDim.x * (long)blockDim.x;
    if (t < n) {
        T sum = in[t];
        for (long i = t + step; i < n; i += step)
            sum = f(sum, in[i]);
        sums[t] = sum;
    }
}
template <class I, class T, class F> __global__ void scan_sums_kernel(I in, T *sums, F f, long n, long part)
{
    long t = threadIdx.x, from = t * part;
    if (from < n) {
        T sum = in[from];
        for (long i = from + 1; i < from + part && i < n; ++i)
            sum = f(sum, in[i]);
        sums[t] = sum;
    }
}
template <class I, class O, class T, class F>
__global__ void inclusive_scan_kernel(I in, O out, const T *before, F f, long n, long part)
{
    long t = threadIdx.x, from = t * part;
    if (from < n) {
        T sum = in[from];
        if (t > 0)
            sum = f(before[t], sum);
        out[from] = sum;
        for (long i = from + 1; i < from + part && i < n; ++i) {
            sum = f(sum, in[i]);
            out[i] = sum;
        }
    }
}
template <class I, class O, class T, class F>
__global__ void exclusive_scan_kernel(I in, O out, const T *before, F f, long n, long part)
{
    long t = threadIdx.x, from = t * part;
    if (from < n) {
        T sum = before[t];
        for (long i = from; i < from + part && i < n; ++i) {
            T next = f(sum, in[i]);
            out[i] = sum;
            sum = next;
        }
    }
}


template <bool D, class I, class T, class F> T __reduce(I in, T sum, F f, long n)
{
    if constexpr (D) {
        if (n > 0) {
            long threads = n < 4096 ? n : 4096;
            T *sums, *partial = (T *)malloc(threads * sizeof(T));
            cudaMalloc((void **)&sums, threads * sizeof(T));
            reduce_kernel<<<n < 4096 ? __blocks(n) : 16, 256>>>(in, sums, f, n);
            cudaMemcpy(partial, sums, threads * sizeof(T), cudaMemcpyDeviceToHost);
            for (long i = 0; i < threads; ++i)
                sum = f(sum, partial[i]);
            cudaFree(sums);
            free(partial);
        }
    } else {
        for (long i = 0; i < n; ++i)
            sum = f(sum, in[i]);
    }
    return sum;
}
template <class I, class T, class F> T reduce(I from, I to, T init, F f)
{
    return __reduce<__leads<I>::to_device>(__raw(from), init, f, to - from);
}
template <class I, class T> T reduce(I from, I to, T init) { return thrust::reduce(from, to, init, plus<T>()); }
template <class I> auto reduce(I from, I to)
{
    typedef typename std::iterator_traits<I>::value_type T;
    return thrust::reduce(from, to, T(0), plus<T>());
}
template <class I, class T, class F> T reduce(__on_device_policy, I from, I to, T init, F f)
{
    return __reduce<true>(__raw(from), init, f, to - from);
}
template <class I, class T> T reduce(__on_device_policy, I from, I to, T init)
{
    return __reduce<true>(__raw(from), init, plus<T>(), to - from);
}
template <class I, class G, class T, class F> T transform_reduce(I from, I to, G g, T init, F f)
{
    return thrust::reduce(make_transform_iterator(from, g), make_transform_iterator(to, g), init, f);
}
template <class I, class G, class T, class F> T transform_reduce(__on_device_policy, I from, I to, G g, T init, F f)
{
    return thrust::reduce(device, make_transform_iterator(from, g), make_transform_iterator(to, g), init, f);
}
template <class I, class J, class T, class F, class G> T inner_product(I from, I to, J with, T init, F f, G g)
{
    typedef __paired<decltype(__raw(from)), decltype(__raw(with)), G> Pairs;
    return __reduce<__leads<I>::to_device>(Pairs{__raw(from), __raw(with), g}, init, f, to - from);
}
template <class I, class J, class T> T inner_product(I from, I to, J with, T init)
{
    return thrust::inner_product(from, to, with, init, plus<T>(), multiplies<T>());
}

template <bool D, class I, class O, class T, class F> void __scan(I in, O out, bool started, T sum, F f, long n)
{
    if constexpr (D) {
        if (n > 0) {
            long part = (n + 255) / 256;
            T *sums, before[256];
            cudaMalloc((void **)&sums, 256 * sizeof(T));
            scan_sums_kernel<<<1, 256>>>(in, sums, f, n, part);
            cudaMemcpy(before, sums, 256 * sizeof(T), cudaMemcpyDeviceToHost);
            for (long t = 0; t * part < n; ++t) {
                T next = t > 0 || started ? f(sum, before[t]) : before[t];
                before[t] = sum;
                sum = next;
            }
            cudaMemcpy(sums, before, 256 * sizeof(T), cudaMemcpyHostToDevice);
            if (started)
                exclusive_scan_kernel<<<1, 256>>>(in, out, sums, f, n, part);
            else
                inclusive_scan_kernel<<<1, 256>>>(in, out, sums, f, n, part);
            cudaFree(sums);
        }
    } else {
        for (long i = 0; i < n; ++i) {
            T value = in[i], next = i > 0 || started ? f(sum, value) : value;
            out[i] = started ? sum : next;
            sum = next;
        }
    }
}
template <class I, class O, class F> O inclusive_scan(I from, I to, O out, F f)
{
    typedef typename std::iterator_traits<I>::value_type T;
    __scan<__leads<I>::to_device>(__raw(from), __raw(out), false, T(0), f, to - from);
    return out + (to - from);
}
template <class I, class O> O inclusive_scan(I from, I to, O out)
{
    return thrust::inclusive_scan(from, to, out, plus<typename std::iterator_traits<I>::value_type>());
}
template <class I, class O, class T, class F> O exclusive_scan(I from, I to, O out, T init, F f)
{
    __scan<__leads<I>::to_device>(__raw(from), __raw(out), true, init, f, to - from);
    return out + (to - from);
}
template <class I, class O, class T> O exclusive_scan(I from, I to, O out, T init)
{
    return thrust::exclusive_scan(from, to, out, init, plus<T>());
}
template <class I, class O> O exclusive_scan(I from, I to, O out)
{
    typedef typename std::iterator_traits<I>::value_type T;
    return thrust::exclusive_scan(from, to, out, T(0), plus<T>());
}

}  // namespace thrust
