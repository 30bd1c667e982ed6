// Sorting of thrust: the order of the keys is found in integers, by a bitonic network; then values are moved by it.
namespace thrust {

__global__ void order_kernel(int *order, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m)
        order[i] = i;
}
// Places from `n` on are behind all others; equal keys stay in order.
template <class K, class F> __global__ void sort_kernel(K keys, int *order, F before, int n, int m, int run, int apart)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, l = i ^ apart;
    if (i < m && l > i) {
        int a = order[i], b = order[l];
        bool swaps = a > b;
        if (a < n && b < n) {
            if (before(keys[b], keys[a]))
                swaps = true;
            else if (before(keys[a], keys[b]))
                swaps = false;
        }
        if (swaps == ((i & run) == 0)) {
            order[i] = b;
            order[l] = a;
        }
    }
}
template <class T> __global__ void moved_kernel(T *out, const T *in, const int *order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[order[i]];
}
template <class T> void __move(T *values, const int *order, int n)
{
    T *before;
    cudaMalloc((void **)&before, n * sizeof(T));
    cudaMemcpy(before, values, n * sizeof(T), cudaMemcpyDeviceToDevice);
    moved_kernel<<<__blocks(n), 256>>>(values, (const T *)before, order, n);
    cudaFree(before);
}
template <class T, class F> int *__order(const T *keys, int n, F before)
{
    int *order, m = 1;
    while (m < n)
        m *= 2;
    cudaMalloc((void **)&order, m * sizeof(int));
    order_kernel<<<__blocks(m), 256>>>(order, m);
    for (int run = 2; run <= m; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2)
            sort_kernel<<<__blocks(m), 256>>>(keys, order, before, n, m, run, apart);
    return order;
}
template <class T, class F> void sort(device_ptr<T> from, device_ptr<T> to, F before)
{
    int n = (int)(to - from);
    if (n > 1) {
        int *order = __order((const T *)from.at, n, before);
        __move(from.at, order, n);
        cudaFree(order);
    }
}
template <class T> void sort(device_ptr<T> from, device_ptr<T> to) { thrust::sort(from, to, __less<T>()); }
template <class T, class F> void sort(T *from, T *to, F before) { std::sort(from, to, before); }
template <class T> void sort(T *from, T *to) { std::sort(from, to); }
template <class T, class V, class F>
void sort_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values, F before)
{
    int n = (int)(to - from);
    if (n > 1) {
        int *order = __order((const T *)from.at, n, before);
        __move(from.at, order, n);
        __move(values.at, order, n);
        cudaFree(order);
    }
}
template <class T, class V> void sort_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values)
{
    thrust::sort_by_key(from, to, values, __less<T>());
}
template <class T> void stable_sort(device_ptr<T> from, device_ptr<T> to) { thrust::sort(from, to); }
template <class T, class F> void stable_sort(device_ptr<T> from, device_ptr<T> to, F before)
{
    thrust::sort(from, to, before);
}
template <class T, class V> void stable_sort_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values)
{
    thrust::sort_by_key(from, to, values);
}
template <class T, class V, class F>
void stable_sort_by_key(device_ptr<T> from, device_ptr<T> to, device_ptr<V> values, F before)
{
    thrust::sort_by_key(from, to, values, before);
}

}  // namespace thrust
