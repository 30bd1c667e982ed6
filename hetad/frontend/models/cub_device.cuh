// What hetad reads in place of cub's algorithms of the device: a first call says how much memory is needed, which is a
// word, as thrust's model takes its own; a second one works.
namespace cub {

inline bool __asks(void *storage, size_t &bytes)
{
    if (storage == nullptr)
        bytes = 8;
    return storage == nullptr;
}
template <class I> auto __from(I i) { return thrust::__there(i); }

// The sum, and the index, of the best.
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
};
template <class I, class O> __global__ void pick_kernel(I in, const long *place, O out)
{
    out[0].key = (int)place[0];
    out[0].value = in[place[0]];
}
template <class T, class F> __global__ void reduce_sums_kernel(const T *sums, T *out, T init, F f, long n)
{
    T sum = init;
    for (long i = 0; i < n; ++i)
        sum = f(sum, sums[i]);
    out[0] = sum;
}

struct DeviceReduce {
    template <class I, class T, class F, class S, class N>
    static cudaError_t Reduce(void *storage, size_t &bytes, I in, T *out, N n, F f, S init, cudaStream_t = 0, bool = false)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        long threads = n < 1024 ? n : 1024;
        T *sums;
        cudaMalloc((void **)&sums, (threads + 1) * sizeof(T));
        if (n > 0)
            thrust::reduce_kernel<<<4, 256>>>(thrust::__raw(in), sums, f, (long)n);
        reduce_sums_kernel<<<1, 1>>>((const T *)sums, out, T(init), f, threads);
        cudaFree(sums);
        return cudaSuccess;
    }
    template <class I, class T, class N>
    static cudaError_t Sum(void *storage, size_t &bytes, I in, T *out, N n, cudaStream_t = 0, bool = false)
    {
        return Reduce(storage, bytes, in, out, n, cub::Sum(), T(0));
    }
    template <class I, class T, class N>
    static cudaError_t Max(void *storage, size_t &bytes, I in, T *out, N n, cudaStream_t = 0, bool = false)
    {
        return Reduce(storage, bytes, in, out, n, cub::Max(), std::numeric_limits<T>::lowest());
    }
    template <class I, class T, class N>
    static cudaError_t Min(void *storage, size_t &bytes, I in, T *out, N n, cudaStream_t = 0, bool = false)
    {
        return Reduce(storage, bytes, in, out, n, cub::Min(), std::numeric_limits<T>::max());
    }
    template <class T, class P, class N>
    static cudaError_t ArgMin(void *storage, size_t &bytes, const T *in, P *out, N n, cudaStream_t = 0, bool = false)
    {
        return __pick(storage, bytes, in, out, n, thrust::__less<T>());
    }
    template <class T, class P, class N>
    static cudaError_t ArgMax(void *storage, size_t &bytes, const T *in, P *out, N n, cudaStream_t = 0, bool = false)
    {
        return __pick(storage, bytes, in, out, n, thrust::__reversed<thrust::__less<T>>{});
    }
    template <class K, class L, class I, class O, class F, class N>
    static cudaError_t ReduceByKey(void *storage, size_t &bytes, K *keys, L *unique, I in, O *out, int *runs, F f, N n,
                                   cudaStream_t = 0, bool = false)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        auto from = __from(keys), to = from + n;
        auto ends = thrust::reduce_by_key(from, to, __from(in), __from(unique), __from(out),
                                          thrust::__same<std::remove_const_t<K>>(), f);
        int found = (int)(ends.first - __from(unique));
        cudaMemcpy(runs, &found, sizeof(int), cudaMemcpyHostToDevice);
        return cudaSuccess;
    }

private:
    template <class I, class P, class N, class F>
    static cudaError_t __pick(void *storage, size_t &bytes, I in, P *out, N n, F better)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        long place = thrust::__best<true>(in, better, (long)n), *found;
        cudaMalloc((void **)&found, sizeof(long));
        cudaMemcpy(found, &place, sizeof(long), cudaMemcpyHostToDevice);
        pick_kernel<<<1, 1>>>(in, (const long *)found, out);
        cudaFree(found);
        return cudaSuccess;
    }
};

template <class I, class O, class B, class E>
__global__ void segmented_sum_kernel(I in, O out, B from, E to, int segments)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s < segments) {
        typename std::iterator_traits<O>::value_type sum = 0;
        for (int i = from[s]; i < to[s]; ++i)
            sum += in[i];
        out[s] = sum;
    }
}
struct DeviceSegmentedReduce {
    template <class I, class O, class B, class E>
    static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, int segments, B from, E to, cudaStream_t = 0,
                           bool = false)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        if (segments > 0)
            segmented_sum_kernel<<<(segments + 255) / 256, 256>>>(thrust::__raw(in), out, from, to, segments);
        return cudaSuccess;
    }
};

struct DeviceScan {
    template <class I, class O, class F, class T, class N>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, I in, O out, F f, T init, N n, cudaStream_t = 0,
                                     bool = false)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        thrust::exclusive_scan(__from(in), __from(in) + n, __from(out), init, f);
        return cudaSuccess;
    }
    template <class I, class O, class F, class N>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, I in, O out, F f, N n, cudaStream_t = 0, bool = false)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        thrust::inclusive_scan(__from(in), __from(in) + n, __from(out), f);
        return cudaSuccess;
    }
    template <class I, class O, class N>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t = 0, bool = false)
    {
        typedef typename std::iterator_traits<I>::value_type T;
        return ExclusiveScan(storage, bytes, in, out, cub::Sum(), T(0), n);
    }
    template <class I, class O, class N>
    static cudaError_t InclusiveSum(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t = 0, bool = false)
    {
        return InclusiveScan(storage, bytes, in, out, cub::Sum(), n);
    }
};

struct __is_set {
    template <class T> __both bool operator()(const T &flag) const { return flag != T(0); }
};
struct DeviceSelect {
    template <class I, class S, class O, class N>
    static cudaError_t Flagged(void *storage, size_t &bytes, I in, S flags, O *out, int *count, N n, cudaStream_t = 0,
                               bool = false)
    {
        return __select(storage, bytes, in, flags, out, count, n, __is_set());
    }
    template <class I, class O, class N, class F>
    static cudaError_t If(void *storage, size_t &bytes, I in, O *out, int *count, N n, F f, cudaStream_t = 0, bool = false)
    {
        return __select(storage, bytes, in, in, out, count, n, f);
    }

private:
    template <class I, class S, class O, class N, class F>
    static cudaError_t __select(void *storage, size_t &bytes, I in, S flags, O *out, int *count, N n, F f)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        auto end = thrust::copy_if(__from(in), __from(in) + n, __from(flags), __from(out), f);
        int kept = (int)(end - __from(out));
        cudaMemcpy(count, &kept, sizeof(int), cudaMemcpyHostToDevice);
        return cudaSuccess;
    }
};

// All bits of the keys are sorted by.
struct DeviceRadixSort {
    template <class K, class V, class N>
    static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys, K *sorted, const V *values, V *moved, N n,
                                 int first = 0, int last = 8 * sizeof(K), cudaStream_t = 0)
    {
        return __sort_pairs(storage, bytes, keys, sorted, values, moved, n, last - first, thrust::__less<K>());
    }
    template <class K, class V, class N>
    static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keys, K *sorted, const V *values,
                                           V *moved, N n, int first = 0, int last = 8 * sizeof(K), cudaStream_t = 0)
    {
        thrust::__reversed<thrust::__less<K>> more{};
        return __sort_pairs(storage, bytes, keys, sorted, values, moved, n, last - first, more);
    }
    template <class K, class N>
    static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys, K *sorted, N n, int first = 0,
                                int last = 8 * sizeof(K), cudaStream_t = 0)
    {
        return __sort_keys(storage, bytes, keys, sorted, n, last - first, thrust::__less<K>());
    }
    template <class K, class N>
    static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *keys, K *sorted, N n, int first = 0,
                                          int last = 8 * sizeof(K), cudaStream_t = 0)
    {
        thrust::__reversed<thrust::__less<K>> more{};
        return __sort_keys(storage, bytes, keys, sorted, n, last - first, more);
    }

private:
    template <class K, class V, class N, class F>
    static cudaError_t __sort_pairs(void *storage, size_t &bytes, const K *keys, K *sorted, const V *values, V *moved,
                                    N n, int bits, F before)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        assert(bits == 8 * sizeof(K));
        __copied(keys, sorted, n);
        __copied(values, moved, n);
        thrust::stable_sort_by_key(__from(sorted), __from(sorted) + n, __from(moved), before);
        return cudaSuccess;
    }
    template <class K, class N, class F>
    static cudaError_t __sort_keys(void *storage, size_t &bytes, const K *keys, K *sorted, N n, int bits, F before)
    {
        if (__asks(storage, bytes))
            return cudaSuccess;
        assert(bits == 8 * sizeof(K));
        __copied(keys, sorted, n);
        thrust::stable_sort(__from(sorted), __from(sorted) + n, before);
        return cudaSuccess;
    }
    template <class T, class N> static void __copied(const T *from, T *to, N n)
    {
        cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice);
    }
};

}  // namespace cub
