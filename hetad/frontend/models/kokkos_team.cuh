// Teams of Kokkos: a team is a block, with memory of its own.  A vector of lanes is one thread that does all of them.
namespace Kokkos {

enum __automatic { AUTO };
struct __per_team {
    long bytes;
};
struct __per_thread {
    long bytes;
};
inline __per_team PerTeam(long bytes) { return __per_team{bytes}; }
inline __per_thread PerThread(long bytes) { return __per_thread{bytes}; }

template <class R> __both typename R::value_type __team_join(typename R::value_type value)
{
    typedef typename R::value_type T;
    __shared__ T values[1024];
    int t = threadIdx.x, size = blockDim.x;
    values[t] = value;
    __syncthreads();
    for (int half = 1; half < size; half *= 2) {
        bool takes = t % (2 * half) == 0 && t + half < size;
        T sum = values[t];
        if (takes)
            R::join(sum, values[t + half]);
        __syncthreads();
        if (takes)
            values[t] = sum;
        __syncthreads();
    }
    T whole = values[0];
    __syncthreads();
    return whole;
}

struct __team_member {
    __scratch memory;
    __both int league_rank() const { return (int)blockIdx.x; }
    __both int league_size() const { return (int)gridDim.x; }
    __both int team_rank() const { return (int)threadIdx.x; }
    __both int team_size() const { return (int)blockDim.x; }
    __both void team_barrier() const { __syncthreads(); }
    __both const __scratch &team_scratch(int) const { return memory; }
    __both const __scratch &team_shmem() const { return memory; }
};

template <class... P> struct TeamPolicy {
    typedef typename __tag<P...>::type work_tag;
    typedef __team_member member_type;
    int league, team;
    long scratch, of_threads;
    TeamPolicy(int l, int t, int = 1) : league(l), team(t), scratch(0), of_threads(0) {}
    TeamPolicy(int l, __automatic, int = 1) : league(l), team(128), scratch(0), of_threads(0) {}
    TeamPolicy(const Cuda &, int l, int t, int = 1) : league(l), team(t), scratch(0), of_threads(0) {}
    TeamPolicy(const Cuda &, int l, __automatic, int = 1) : league(l), team(128), scratch(0), of_threads(0) {}
    TeamPolicy &set_scratch_size(int, __per_team b)
    {
        scratch += b.bytes;
        return *this;
    }
    TeamPolicy &set_scratch_size(int, __per_thread b)
    {
        of_threads += b.bytes;
        return *this;
    }
    TeamPolicy &set_scratch_size(int, __per_team b, __per_thread c)
    {
        scratch += b.bytes;
        of_threads += c.bytes;
        return *this;
    }
    int league_size() const { return league; }
    int team_size() const { return team; }
};

// --- loops in a team -----------------------------------------------------------------------------

template <class I> struct __team_range {
    I from, to;
};
template <class I> struct __thread_range {
    I from, to;
};
template <class I> __both __team_range<I> TeamThreadRange(const __team_member &, I n) { return __team_range<I>{I(0), n}; }
template <class I, class J> __both __team_range<J> TeamThreadRange(const __team_member &, I a, J b)
{
    return __team_range<J>{J(a), b};
}
template <class I> __both __team_range<I> TeamVectorRange(const __team_member &, I n) { return __team_range<I>{I(0), n}; }
template <class I, class J> __both __team_range<J> TeamVectorRange(const __team_member &, I a, J b)
{
    return __team_range<J>{J(a), b};
}
template <class I> __both __thread_range<I> ThreadVectorRange(const __team_member &, I n)
{
    return __thread_range<I>{I(0), n};
}
template <class I, class J> __both __thread_range<J> ThreadVectorRange(const __team_member &, I a, J b)
{
    return __thread_range<J>{J(a), b};
}

template <class I, class F> __both void parallel_for(const __team_range<I> &r, const F &f)
{
    for (I i = r.from + (I)threadIdx.x; i < r.to; i += (I)blockDim.x)
        f(i);
}
template <class I, class F> __both void parallel_for(const __thread_range<I> &r, const F &f)
{
    for (I i = r.from; i < r.to; ++i)
        f(i);
}
// What a result of a loop in a team is stored in.
template <class T> __both T &__at(T &to) { return to; }
template <class T, class S> __both T &__at(const Sum<T, S> &r) { return *r.to; }
template <class T, class S> __both T &__at(const Prod<T, S> &r) { return *r.to; }
template <class T, class S> __both T &__at(const Max<T, S> &r) { return *r.to; }
template <class T, class S> __both T &__at(const Min<T, S> &r) { return *r.to; }
template <class I, class F, class R> __both void parallel_reduce(const __team_range<I> &r, const F &f, R &&result)
{
    typedef typename __result<std::decay_t<R>>::reducer Reducer;
    typename Reducer::value_type value;
    Reducer::init(value);
    for (I i = r.from + (I)threadIdx.x; i < r.to; i += (I)blockDim.x)
        f(i, value);
    __at(result) = __team_join<Reducer>(value);
}
template <class I, class F, class R> __both void parallel_reduce(const __thread_range<I> &r, const F &f, R &&result)
{
    typedef typename __result<std::decay_t<R>>::reducer Reducer;
    typename Reducer::value_type value;
    Reducer::init(value);
    for (I i = r.from; i < r.to; ++i)
        f(i, value);
    __at(result) = value;
}

enum __once_for { __once_in_team, __once_in_thread };
__both inline __once_for PerTeam(const __team_member &) { return __once_in_team; }
__both inline __once_for PerThread(const __team_member &) { return __once_in_thread; }
template <class F> __both void single(__once_for who, const F &f)
{
    if (who == __once_in_thread || threadIdx.x == 0)
        f();
}

// --- launches ------------------------------------------------------------------------------------

template <class G, class F> __global__ void team_for_kernel(F f)
{
    long used = 0;
    __team_member member{{&used}};
    __call<G>(f, member);
}
template <class G, class R, class F, class T> __global__ void team_reduce_kernel(F f, T *sums)
{
    long used = 0;
    __team_member member{{&used}};
    T sum;
    __start<R>(f, sum);
    __add<G>(f, sum, member);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
template <class... P, class F> void __for(const TeamPolicy<P...> &p, const F &f)
{
    typedef typename TeamPolicy<P...>::work_tag G;
    if (p.league > 0)
        team_for_kernel<G><<<p.league, p.team, p.scratch + p.of_threads * p.team>>>(f);
}
template <class R, class T, class... P, class F> void __reduce(const TeamPolicy<P...> &p, const F &f, T &value)
{
    typedef typename TeamPolicy<P...>::work_tag G;
    __start<R>(f, value);
    if (p.league > 0) {
        T *sums;
        long n = (long)p.league * p.team;
        cudaMalloc((void **)&sums, n * sizeof(T));
        team_reduce_kernel<G, R><<<p.league, p.team, p.scratch + p.of_threads * p.team>>>(f, sums);
        __join_all<R>(f, value, sums, n);
    }
}

}  // namespace Kokkos
