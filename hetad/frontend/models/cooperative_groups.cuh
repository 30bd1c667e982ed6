// What hetad reads in place of CUDA's cooperative groups: blocks, tiles of a warp, their shuffles, sums and scans.
namespace cooperative_groups {

template <class T> struct plus {
    __device__ T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T> struct less {  // what CUDA calls the smaller of two
    __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    __device__ T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T> struct bit_or {
    __device__ T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T> struct bit_xor {
    __device__ T operator()(const T &a, const T &b) const { return a ^ b; }
};

struct thread_block {
    __device__ static unsigned thread_rank()
    {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static void sync() { __syncthreads(); }
};
__device__ inline thread_block this_thread_block() { return thread_block(); }

struct grid_group {
    __device__ static unsigned long long thread_rank()
    {
        unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
        return block * (blockDim.x * blockDim.y * blockDim.z) + thread_block::thread_rank();
    }
    __device__ static unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
    }
    __device__ static unsigned long long num_threads() { return size(); }
    __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static bool is_valid();
    __device__ static void sync();
};
__device__ inline grid_group this_grid() { return grid_group(); }

template <unsigned N, class Parent = void> struct thread_block_tile;
template <unsigned N> struct thread_block_tile<N, void> {
    static_assert(N == 1 || N == 2 || N == 4 || N == 8 || N == 16 || N == 32, "tiles have up to 32 threads");
    __device__ static unsigned mask()
    {
        if constexpr (N == 32)
            return 0xffffffffu;
        else
            return ((1u << N) - 1u) << (thread_block::thread_rank() % 32u / N * N);
    }
    __device__ static unsigned thread_rank() { return thread_block::thread_rank() % N; }
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
    __device__ static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
    __device__ static void sync() { __syncwarp(mask()); }
    template <class T> __device__ static T shfl(T value, int rank) { return __shfl_sync(mask(), value, rank, int(N)); }
    template <class T> __device__ static T shfl_down(T value, unsigned delta)
    {
        return __shfl_down_sync(mask(), value, delta, int(N));
    }
    template <class T> __device__ static T shfl_up(T value, unsigned delta)
    {
        return __shfl_up_sync(mask(), value, delta, int(N));
    }
    template <class T> __device__ static T shfl_xor(T value, unsigned lanes)
    {
        return __shfl_xor_sync(mask(), value, int(lanes), int(N));
    }
    __device__ static int any(int predicate) { return __any_sync(mask(), predicate); }
    __device__ static int all(int predicate) { return __all_sync(mask(), predicate); }
    __device__ static unsigned ballot(int predicate)
    {
        return __ballot_sync(mask(), predicate) >> (thread_block::thread_rank() % 32u / N * N);
    }
};

template <unsigned N, class Parent> struct thread_block_tile : thread_block_tile<N, void> {
    __device__ thread_block_tile(const thread_block_tile<N, void> &) {}
};

template <unsigned N, class G> __device__ thread_block_tile<N> tiled_partition(const G &)
{
    return thread_block_tile<N>();
}

template <class G> __device__ thread_block_tile<32> tiled_partition(const G &, unsigned size);

template <class G> __device__ void sync(const G &group) { group.sync(); }
template <class G> __device__ auto thread_rank(const G &group) { return group.thread_rank(); }
template <class G> __device__ auto group_size(const G &group) { return group.size(); }

template <unsigned N, class T, class F>
__device__ T reduce(const thread_block_tile<N> &tile, T value, F combine)
{
    for (int lanes = N / 2; lanes > 0; lanes /= 2)
        value = combine(value, tile.shfl_xor(value, lanes));
    return value;
}

template <unsigned N, class T, class F>
__device__ T inclusive_scan(const thread_block_tile<N> &tile, T value, F combine)
{
    for (unsigned delta = 1; delta < N; delta *= 2) {
        T before = tile.shfl_up(value, delta);
        if (tile.thread_rank() >= delta)
            value = combine(before, value);
    }
    return value;
}
template <unsigned N, class T> __device__ T inclusive_scan(const thread_block_tile<N> &tile, T value)
{
    return inclusive_scan(tile, value, plus<T>());
}
template <unsigned N, class T> __device__ T exclusive_scan(const thread_block_tile<N> &tile, T value)
{
    T whole = tile.shfl_up(inclusive_scan(tile, value, plus<T>()), 1);
    return tile.thread_rank() == 0 ? T(0) : whole;
}

struct coalesced_group {
    __device__ unsigned size() const;
    __device__ unsigned thread_rank() const;
    __device__ void sync() const;
};
__device__ coalesced_group coalesced_threads();
struct multi_grid_group {};
__device__ multi_grid_group this_multi_grid();

}  // namespace cooperative_groups
