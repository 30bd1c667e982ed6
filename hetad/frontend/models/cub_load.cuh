// What hetad reads in place of cub's loads, stores and exchanges of a block along x.
namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// The place of a thread's element: its elements follow each other, or those of the threads do.
template <bool STRIPED, int THREADS, int ITEMS> __device__ int __place(int item)
{
    return STRIPED ? item * THREADS + threadIdx.x : threadIdx.x * ITEMS + item;
}

template <class T, int THREADS, int ITEMS, BlockLoadAlgorithm HOW = BLOCK_LOAD_DIRECT> class BlockLoad {
public:
    struct TempStorage {
        char unused;
    };
    __device__ BlockLoad() {}
    __device__ explicit BlockLoad(TempStorage &) {}
    template <class I> __device__ void Load(I from, T (&items)[ITEMS])
    {
        for (int k = 0; k < ITEMS; ++k)
            items[k] = from[__at(k)];
    }
    template <class I> __device__ void Load(I from, T (&items)[ITEMS], int valid)
    {
        for (int k = 0; k < ITEMS; ++k)
            if (__at(k) < valid)
                items[k] = from[__at(k)];
    }
    template <class I, class D> __device__ void Load(I from, T (&items)[ITEMS], int valid, D otherwise)
    {
        for (int k = 0; k < ITEMS; ++k)
            items[k] = otherwise;
        Load(from, items, valid);
    }

private:
    __device__ static int __at(int item) { return __place<HOW == BLOCK_LOAD_STRIPED, THREADS, ITEMS>(item); }
};

template <class T, int THREADS, int ITEMS, BlockStoreAlgorithm HOW = BLOCK_STORE_DIRECT> class BlockStore {
public:
    struct TempStorage {
        char unused;
    };
    __device__ BlockStore() {}
    __device__ explicit BlockStore(TempStorage &) {}
    template <class O> __device__ void Store(O to, T (&items)[ITEMS])
    {
        for (int k = 0; k < ITEMS; ++k)
            to[__at(k)] = items[k];
    }
    template <class O> __device__ void Store(O to, T (&items)[ITEMS], int valid)
    {
        for (int k = 0; k < ITEMS; ++k)
            if (__at(k) < valid)
                to[__at(k)] = items[k];
    }

private:
    __device__ static int __at(int item) { return __place<HOW == BLOCK_STORE_STRIPED, THREADS, ITEMS>(item); }
};

template <class T, int THREADS, int ITEMS> class BlockExchange {
public:
    struct TempStorage {
        T values[THREADS * ITEMS];
    };
    __device__ explicit BlockExchange(TempStorage &s) : at(s.values) {}
    __device__ void BlockedToStriped(T (&in)[ITEMS], T (&out)[ITEMS]) { __exchange<false, true>(in, out); }
    __device__ void StripedToBlocked(T (&in)[ITEMS], T (&out)[ITEMS]) { __exchange<true, false>(in, out); }
    __device__ void BlockedToStriped(T (&items)[ITEMS]) { __exchange<false, true>(items, items); }
    __device__ void StripedToBlocked(T (&items)[ITEMS]) { __exchange<true, false>(items, items); }
    template <class I> __device__ void ScatterToBlocked(T (&in)[ITEMS], T (&out)[ITEMS], I (&ranks)[ITEMS])
    {
        __scatter<false>(in, out, ranks);
    }
    template <class I> __device__ void ScatterToStriped(T (&in)[ITEMS], T (&out)[ITEMS], I (&ranks)[ITEMS])
    {
        __scatter<true>(in, out, ranks);
    }

private:
    T *at;

    template <bool FROM, bool TO> __device__ void __exchange(T (&in)[ITEMS], T (&out)[ITEMS])
    {
        for (int k = 0; k < ITEMS; ++k)
            at[__place<FROM, THREADS, ITEMS>(k)] = in[k];
        __take<TO>(out);
    }
    template <bool TO, class I> __device__ void __scatter(T (&in)[ITEMS], T (&out)[ITEMS], I (&ranks)[ITEMS])
    {
        for (int k = 0; k < ITEMS; ++k)
            at[ranks[k]] = in[k];
        __take<TO>(out);
    }
    template <bool TO> __device__ void __take(T (&out)[ITEMS])
    {
        __syncthreads();
        for (int k = 0; k < ITEMS; ++k)
            out[k] = at[__place<TO, THREADS, ITEMS>(k)];
        __syncthreads();
    }
};

}  // namespace cub
