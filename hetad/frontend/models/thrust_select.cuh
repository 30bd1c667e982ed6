// What thrust selects, and segments of equal keys.  Integers say which elements go where; then values are moved by them.
namespace thrust {

template <class T> struct __same {
    __both bool operator()(const T &a, const T &b) const { return a == b; }
};
template <class S, class F> __global__ void kept_kernel(S stencil, int *kept, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        kept[i] = f(stencil[i]) ? 1 : 0;
}
template <class K, class F> __global__ void heads_kernel(K keys, int *heads, F same, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        heads[i] = i == 0 || !same(keys[i - 1], keys[i]) ? 1 : 0;
}
// `through`: how many are kept up to each element, itself included.
__both inline bool __is_kept(const int *through, long i) { return through[i] > (i > 0 ? through[i - 1] : 0); }
template <class I, class O> __global__ void kept_copy_kernel(I in, O out, const int *through, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n && __is_kept(through, i))
        out[through[i] - 1] = in[i];
}
__global__ void starts_kernel(int *starts, const int *through, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && __is_kept(through, i))
        starts[through[i] - 1] = i;
}

// Which elements are kept, on the device.
class __selection {
public:
    template <class S, class F> static __selection where(S stencil, long n, F f)
    {
        __selection made(n);
        if (n > 0)
            kept_kernel<<<__blocks(n), 256>>>(__raw(stencil), made.through, f, n);
        made.__sum_up();
        return made;
    }
    template <class K, class F> static __selection heads(K keys, long n, F same)
    {
        __selection made(n);
        if (n > 0)
            heads_kernel<<<__blocks(n), 256>>>(__raw(keys), made.through, same, n);
        made.__sum_up();
        return made;
    }
    __selection(__selection &&o) : through(o.through), n(o.n), kept(o.kept) { o.through = nullptr; }
    ~__selection() { cudaFree(through); }
    long count() const { return kept; }
    template <class I, class O> void copy(I from, O out) const
    {
        if (n > 0)
            kept_copy_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(out), (const int *)through, n);
    }
    template <class T> void copy_in_place(device_ptr<T> values) const
    {
        device_ptr<T> before = device_malloc<T>(n);
        cudaMemcpy(before.at, values.at, n * sizeof(T), cudaMemcpyDeviceToDevice);
        copy(before, values);
        device_free(before);
    }
    template <class... I> void copy_in_place(zip_iterator<tuple<I...>> rows) const
    {
        __in_each(rows, std::index_sequence_for<I...>());
    }
    template <class Z, size_t... K> void __in_each(Z rows, std::index_sequence<K...>) const
    {
        (copy_in_place(get<K>(rows.of)), ...);
    }
    // Those that are kept to the front, the others behind them, both in order.
    template <class T> void part(device_ptr<T> values, const __selection &others) const
    {
        device_ptr<T> before = device_malloc<T>(n);
        cudaMemcpy(before.at, values.at, n * sizeof(T), cudaMemcpyDeviceToDevice);
        copy(before, values);
        others.copy(before, values + kept);
        device_free(before);
    }
    // Where each segment starts; the caller frees it.
    int *starts() const
    {
        int *made;
        cudaMalloc((void **)&made, (kept + 1) * sizeof(int));
        if (n > 0)
            starts_kernel<<<__blocks(n), 256>>>(made, (const int *)through, (int)n);
        int end = (int)n;
        cudaMemcpy(made + kept, &end, sizeof(int), cudaMemcpyHostToDevice);
        return made;
    }

private:
    int *through;
    long n, kept;

    explicit __selection(long count) : through(nullptr), n(count), kept(0)
    {
        cudaMalloc((void **)&through, n * sizeof(int));
    }
    void __sum_up()
    {
        if (n > 0) {
            device_ptr<int> first(through);
            thrust::inclusive_scan(first, first + n, first);
            kept = first[n - 1];
        }
    }
};

// --- selection -----------------------------------------------------------------------------------

template <class F> struct __unless {
    F f;
    template <class T> __both bool operator()(const T &value) const { return !f(value); }
};
template <class I, class S, class O, class F> O copy_if(I from, I to, S stencil, O out, F f)
{
    long n = to - from, kept = 0;
    if constexpr (__leads<I>::to_device || __leads<O>::to_device) {
        __selection chosen = __selection::where(stencil, n, f);
        chosen.copy(from, out);
        kept = chosen.count();
    } else {
        for (long i = 0; i < n; ++i)
            if (f(stencil[i])) {
                out[kept] = from[i];
                ++kept;
            }
    }
    return out + kept;
}
template <class I, class O, class F> O copy_if(I from, I to, O out, F f) { return thrust::copy_if(from, to, from, out, f); }
template <class I, class O, class F> O remove_copy_if(I from, I to, O out, F f)
{
    return thrust::copy_if(from, to, from, out, __unless<F>{f});
}
template <class I, class F> I remove_if(I from, I to, F f)
{
    __selection chosen = __selection::where(from, to - from, __unless<F>{f});
    chosen.copy_in_place(from);
    return from + chosen.count();
}
template <class I, class S, class F> I remove_if(I from, I to, S stencil, F f)
{
    __selection chosen = __selection::where(stencil, to - from, __unless<F>{f});
    chosen.copy_in_place(from);
    return from + chosen.count();
}
template <class T, class S, class F>
device_ptr<T> stable_partition(device_ptr<T> from, device_ptr<T> to, S stencil, F f)
{
    __selection chosen = __selection::where(stencil, to - from, f);
    __selection others = __selection::where(stencil, to - from, __unless<F>{f});
    chosen.part(from, others);
    return from + chosen.count();
}
template <class T, class F> device_ptr<T> stable_partition(device_ptr<T> from, device_ptr<T> to, F f)
{
    return thrust::stable_partition(from, to, from, f);
}
template <class I, class... Given> I partition(I from, I to, Given... given)
{
    return thrust::stable_partition(from, to, given...);
}
template <class I, class O, class P, class F> pair<O, P> partition_copy(I from, I to, O out, P others, F f)
{
    return pair<O, P>(thrust::copy_if(from, to, out, f), thrust::remove_copy_if(from, to, others, f));
}

// --- runs of equal keys --------------------------------------------------------------------------

template <class T, class F> device_ptr<T> unique(device_ptr<T> from, device_ptr<T> to, F same)
{
    __selection heads = __selection::heads(from, to - from, same);
    heads.copy_in_place(from);
    return from + heads.count();
}
template <class T> device_ptr<T> unique(device_ptr<T> from, device_ptr<T> to) { return thrust::unique(from, to, __same<T>()); }
template <class I, class O, class F> O unique_copy(I from, I to, O out, F same)
{
    __selection heads = __selection::heads(from, to - from, same);
    heads.copy(from, out);
    return out + heads.count();
}
template <class I, class O> O unique_copy(I from, I to, O out)
{
    return thrust::unique_copy(from, to, out, __same<typename std::iterator_traits<I>::value_type>());
}
template <class T, class V, class F>
pair<device_ptr<T>, device_ptr<V>> unique_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values, F same)
{
    __selection heads = __selection::heads(from, to - from, same);
    heads.copy_in_place(from);
    heads.copy_in_place(values);
    return pair<device_ptr<T>, device_ptr<V>>(from + heads.count(), values + heads.count());
}
template <class T, class V>
pair<device_ptr<T>, device_ptr<V>> unique_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values)
{
    return thrust::unique_by_key(from, to, values, __same<T>());
}
template <class K, class I, class L, class O>
pair<L, O> unique_by_key_copy(K from, K to, I values, L keys_out, O out)
{
    __selection heads = __selection::heads(from, to - from, __same<typename std::iterator_traits<K>::value_type>());
    heads.copy(from, keys_out);
    heads.copy(values, out);
    return pair<L, O>(keys_out + heads.count(), out + heads.count());
}

// A thread sums up a segment, in order.
template <class I, class O, class F>
__global__ void reduce_segments_kernel(I in, O out, const int *starts, F f, int segments)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) {
        typename std::iterator_traits<O>::value_type sum = in[starts[s]];
        for (int i = starts[s] + 1; i < starts[s + 1]; ++i)
            sum = f(sum, in[i]);
        out[s] = sum;
    }
}
template <class I, class O, class F>
__global__ void scan_segments_kernel(I in, O out, const int *starts, F f, int segments)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) {
        typename std::iterator_traits<O>::value_type sum = in[starts[s]];
        out[starts[s]] = sum;
        for (int i = starts[s] + 1; i < starts[s + 1]; ++i) {
            sum = f(sum, in[i]);
            out[i] = sum;
        }
    }
}
template <class I, class O, class T>
__global__ void exclusive_scan_segments_kernel(I in, O out, const int *starts, T init, int segments)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) {
        T sum = init;
        for (int i = starts[s]; i < starts[s + 1]; ++i) {
            T next = sum + in[i];
            out[i] = sum;
            sum = next;
        }
    }
}
template <class K, class I, class L, class O, class E, class F>
pair<L, O> reduce_by_key(K from, K to, I values, L keys_out, O out, E same, F f)
{
    __selection heads = __selection::heads(from, to - from, same);
    int segments = (int)heads.count(), *starts = heads.starts();
    heads.copy(from, keys_out);
    if (segments > 0)
        reduce_segments_kernel<<<__blocks(segments), 256>>>(__raw(values), __raw(out), (const int *)starts, f, segments);
    cudaFree(starts);
    return pair<L, O>(keys_out + segments, out + segments);
}
template <class K, class I, class L, class O, class E>
pair<L, O> reduce_by_key(K from, K to, I values, L keys_out, O out, E same)
{
    return thrust::reduce_by_key(from, to, values, keys_out, out, same, plus<typename std::iterator_traits<I>::value_type>());
}
template <class K, class I, class L, class O> pair<L, O> reduce_by_key(K from, K to, I values, L keys_out, O out)
{
    return thrust::reduce_by_key(from, to, values, keys_out, out, __same<typename std::iterator_traits<K>::value_type>());
}
template <class K, class I, class O> O inclusive_scan_by_key(K from, K to, I values, O out)
{
    __selection heads = __selection::heads(from, to - from, __same<typename std::iterator_traits<K>::value_type>());
    int segments = (int)heads.count(), *starts = heads.starts();
    typedef plus<typename std::iterator_traits<I>::value_type> Plus;
    if (segments > 0)
        scan_segments_kernel<<<__blocks(segments), 256>>>(__raw(values), __raw(out), (const int *)starts, Plus(), segments);
    cudaFree(starts);
    return out + (to - from);
}
template <class K, class I, class O, class T> O exclusive_scan_by_key(K from, K to, I values, O out, T init)
{
    __selection heads = __selection::heads(from, to - from, __same<typename std::iterator_traits<K>::value_type>());
    int segments = (int)heads.count(), *starts = heads.starts();
    typedef typename std::iterator_traits<I>::value_type Element;
    if (segments > 0)
        exclusive_scan_segments_kernel<<<__blocks(segments), 256>>>(
            __raw(values), __raw(out), (const int *)starts, Element(init), segments);
    cudaFree(starts);
    return out + (to - from);
}
template <class K, class I, class O> O exclusive_scan_by_key(K from, K to, I values, O out)
{
    return thrust::exclusive_scan_by_key(from, to, values, out, typename std::iterator_traits<I>::value_type());
}

}  // namespace thrust
