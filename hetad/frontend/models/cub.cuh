// What hetad reads in place of cub: sums and scans of warps and of blocks along x.  As in cub, thread 0 has the sum.
namespace cub {

struct Sum {
    template <class T> __both T operator()(const T &a, const T &b) const { return a + b; }
};
struct Max {
    template <class T> __both T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
struct Min {
    template <class T> __both T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int THREADS = 32> class WarpReduce {
public:
    struct TempStorage {
        char unused;
    };
    __device__ explicit WarpReduce(TempStorage &) {}
    __device__ T Sum(T value)
    {
        for (int offset = THREADS / 2; offset > 0; offset /= 2)
            value += __shfl_down_sync(0xffffffff, value, offset, THREADS);
        return value;
    }
    template <class F> __device__ T Reduce(T value, F f)
    {
        for (int offset = THREADS / 2; offset > 0; offset /= 2)
            value = f(value, __shfl_down_sync(0xffffffff, value, offset, THREADS));
        return value;
    }
};

template <class T, int THREADS = 32> class WarpScan {
public:
    struct TempStorage {
        char unused;
    };
    __device__ explicit WarpScan(TempStorage &) {}
    template <class F> __device__ void InclusiveScan(T in, T &out, F f)
    {
        T sum = in;
        for (int apart = 1; apart < THREADS; apart *= 2) {
            T before = __shfl_up_sync(0xffffffff, sum, apart, THREADS);
            if (__lane() >= apart)
                sum = f(before, sum);
        }
        out = sum;
    }
    template <class F> __device__ void InclusiveScan(T in, T &out, F f, T &whole)
    {
        T sum;
        InclusiveScan(in, sum, f);
        whole = __shfl_sync(0xffffffff, sum, THREADS - 1, THREADS);
        out = sum;
    }
    template <class F> __device__ void ExclusiveScan(T in, T &out, T init, F f)
    {
        T sum;
        InclusiveScan(in, sum, f);
        T before = __shfl_up_sync(0xffffffff, sum, 1, THREADS);
        out = __lane() == 0 ? init : f(init, before);
    }
    __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    __device__ void InclusiveSum(T in, T &out, T &whole) { InclusiveScan(in, out, cub::Sum(), whole); }
    __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T in, T &out, T &whole)
    {
        T sum;
        InclusiveScan(in, sum, cub::Sum(), whole);
        T before = __shfl_up_sync(0xffffffff, sum, 1, THREADS);
        out = __lane() == 0 ? T(0) : before;
    }

private:
    __device__ static int __lane() { return threadIdx.x % THREADS; }
};

template <class T, int THREADS, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS> class BlockReduce {
public:
    struct TempStorage {
        T values[THREADS];
    };
    __device__ explicit BlockReduce(TempStorage &s) : at(s.values) {}
    __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
    __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int ITEMS> __device__ T Sum(T (&values)[ITEMS]) { return Reduce(values, cub::Sum()); }
    template <class F> __device__ T Reduce(T value, F f) { return Reduce(value, f, THREADS); }
    template <class F> __device__ T Reduce(T value, F f, int valid)
    {
        int t = threadIdx.x;
        at[t] = value;
        __syncthreads();
        for (int half = 1; half < THREADS; half *= 2) {
            bool takes = t % (2 * half) == 0 && t + half < valid;
            T sum = at[t];
            if (takes)
                sum = f(sum, at[t + half]);
            __syncthreads();
            if (takes)
                at[t] = sum;
            __syncthreads();
        }
        return at[0];
    }
    template <int ITEMS, class F> __device__ T Reduce(T (&values)[ITEMS], F f)
    {
        T sum = values[0];
        for (int k = 1; k < ITEMS; ++k)
            sum = f(sum, values[k]);
        return Reduce(sum, f);
    }

private:
    T *at;
};

template <class T, int THREADS, BlockScanAlgorithm = BLOCK_SCAN_RAKING> class BlockScan {
public:
    struct TempStorage {
        T values[THREADS];
    };
    __device__ explicit BlockScan(TempStorage &s) : at(s.values) {}
    template <class F> __device__ void InclusiveScan(T in, T &out, F f) { out = __through(in, f); }
    template <class F> __device__ void InclusiveScan(T in, T &out, F f, T &whole)
    {
        out = __through(in, f);
        whole = at[THREADS - 1];
    }
    template <class F> __device__ void ExclusiveScan(T in, T &out, T init, F f)
    {
        __through(in, f);
        out = threadIdx.x == 0 ? init : f(init, at[threadIdx.x - 1]);
    }
    template <class F> __device__ void ExclusiveScan(T in, T &out, T init, F f, T &whole)
    {
        ExclusiveScan(in, out, init, f);
        whole = at[THREADS - 1];
    }
    __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
    __device__ void InclusiveSum(T in, T &out, T &whole) { InclusiveScan(in, out, cub::Sum(), whole); }
    __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T in, T &out, T &whole) { ExclusiveScan(in, out, T(0), cub::Sum(), whole); }
    template <int ITEMS> __device__ void InclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS])
    {
        T sum = __before(in);
        for (int k = 0; k < ITEMS; ++k) {
            sum += in[k];
            out[k] = sum;
        }
    }
    template <int ITEMS> __device__ void ExclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS])
    {
        T sum = __before(in);
        for (int k = 0; k < ITEMS; ++k) {
            T next = sum + in[k];
            out[k] = sum;
            sum = next;
        }
    }
    template <int ITEMS> __device__ void InclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS], T &whole)
    {
        InclusiveSum(in, out);
        whole = at[THREADS - 1];
    }
    template <int ITEMS> __device__ void ExclusiveSum(T (&in)[ITEMS], T (&out)[ITEMS], T &whole)
    {
        ExclusiveSum(in, out);
        whole = at[THREADS - 1];
    }

private:
    T *at;

    // The sum up to each thread, which stays in shared memory.
    template <class F> __device__ T __through(T value, F f)
    {
        int t = threadIdx.x;
        at[t] = value;
        __syncthreads();
        for (int apart = 1; apart < THREADS; apart *= 2) {
            T sum = at[t];
            if (t >= apart)
                sum = f(at[t - apart], sum);
            __syncthreads();
            at[t] = sum;
            __syncthreads();
        }
        return at[t];
    }
    template <int ITEMS> __device__ T __before(T (&in)[ITEMS])
    {
        T sum = in[0], before;
        for (int k = 1; k < ITEMS; ++k)
            sum += in[k];
        ExclusiveSum(sum, before);
        return before;
    }
};

}  // namespace cub
