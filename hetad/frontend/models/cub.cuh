// What hetad reads in place of cub: reductions of warps and of blocks along x.  As in cub, thread 0 has the result.
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
};

template <class T, int THREADS> class BlockReduce {
public:
    struct TempStorage {
        T values[THREADS];
    };
    __device__ explicit BlockReduce(TempStorage &s) : at(s.values) {}
    __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
    template <class F> __device__ T Reduce(T value, F f)
    {
        int t = threadIdx.x;
        at[t] = value;
        __syncthreads();
        for (int half = 1; half < THREADS; half *= 2) {
            bool takes = t % (2 * half) == 0 && t + half < THREADS;
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

private:
    T *at;
};

}  // namespace cub
