// Views of Kokkos: arrays of up to four axes on the device or the host, that share their memory.
namespace Kokkos {

// --- shapes --------------------------------------------------------------------------------------

// The extents of up to four axes, of which the type may know the last (S > 0), and where an element lies.
template <class L, int R, long S0 = 0, long S1 = 0, long S2 = 0, long S3 = 0> struct __shape;

template <class L, long S0, long S1, long S2, long S3> struct __shape<L, 0, S0, S1, S2, S3> {
    __both __shape() {}
    __both static __shape of(const long *, const long *) { return __shape(); }
    __both long offset() const { return 0; }
    __both long extent(int) const { return 1; }
    __both long stride(int) const { return 1; }
    __both long span() const { return 1; }
};

template <long S0, long S1, long S2, long S3> struct __shape<LayoutLeft, 1, S0, S1, S2, S3> {
    long n0;
    __both __shape(long a = 0) : n0(S0 ? S0 : a) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0]); }
    __both long offset(long i) const { return i; }
    __both long extent(int k) const { return k == 0 ? (S0 ? S0 : n0) : 1; }
    __both long stride(int) const { return 1; }
    __both long span() const { return S0 ? S0 : n0; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutLeft, 2, S0, S1, S2, S3> {
    long n0, n1;
    __both __shape(long a = 0, long b = 0) : n0(S0 ? S0 : a), n1(S1 ? S1 : b) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1]); }
    __both long offset(long i, long j) const { return i + (S0 ? S0 : n0) * j; }
    __both long extent(int k) const { return k == 0 ? (S0 ? S0 : n0) : k == 1 ? (S1 ? S1 : n1) : 1; }
    __both long stride(int k) const { return k == 0 ? 1 : n0; }
    __both long span() const { return n0 * n1; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutLeft, 3, S0, S1, S2, S3> {
    long n0, n1, n2;
    __both __shape(long a = 0, long b = 0, long c = 0) : n0(S0 ? S0 : a), n1(S1 ? S1 : b), n2(S2 ? S2 : c) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1], n[2]); }
    __both long offset(long i, long j, long k) const { return i + (S0 ? S0 : n0) * (j + (S1 ? S1 : n1) * k); }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? (S1 ? S1 : n1) : k == 2 ? (S2 ? S2 : n2) : 1; }
    __both long stride(int k) const { return k == 0 ? 1 : k == 1 ? n0 : n0 * n1; }
    __both long span() const { return n0 * n1 * n2; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutLeft, 4, S0, S1, S2, S3> {
    long n0, n1, n2, n3;
    __both __shape(long a = 0, long b = 0, long c = 0, long d = 0)
        : n0(S0 ? S0 : a), n1(S1 ? S1 : b), n2(S2 ? S2 : c), n3(S3 ? S3 : d)
    {
    }
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1], n[2], n[3]); }
    __both long offset(long i, long j, long k, long l) const
    {
        return i + (S0 ? S0 : n0) * (j + (S1 ? S1 : n1) * (k + (S2 ? S2 : n2) * l));
    }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? n1 : k == 2 ? n2 : n3; }
    __both long stride(int k) const { return k == 0 ? 1 : k == 1 ? n0 : k == 2 ? n0 * n1 : n0 * n1 * n2; }
    __both long span() const { return n0 * n1 * n2 * n3; }
};

template <long S0, long S1, long S2, long S3> struct __shape<LayoutRight, 1, S0, S1, S2, S3> {
    long n0;
    __both __shape(long a = 0) : n0(S0 ? S0 : a) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0]); }
    __both long offset(long i) const { return i; }
    __both long extent(int k) const { return k == 0 ? (S0 ? S0 : n0) : 1; }
    __both long stride(int) const { return 1; }
    __both long span() const { return S0 ? S0 : n0; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutRight, 2, S0, S1, S2, S3> {
    long n0, n1;
    __both __shape(long a = 0, long b = 0) : n0(S0 ? S0 : a), n1(S1 ? S1 : b) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1]); }
    __both long offset(long i, long j) const { return i * (S1 ? S1 : n1) + j; }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? (S1 ? S1 : n1) : 1; }
    __both long stride(int k) const { return k == 0 ? n1 : 1; }
    __both long span() const { return n0 * n1; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutRight, 3, S0, S1, S2, S3> {
    long n0, n1, n2;
    __both __shape(long a = 0, long b = 0, long c = 0) : n0(S0 ? S0 : a), n1(S1 ? S1 : b), n2(S2 ? S2 : c) {}
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1], n[2]); }
    __both long offset(long i, long j, long k) const { return (i * (S1 ? S1 : n1) + j) * (S2 ? S2 : n2) + k; }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? (S1 ? S1 : n1) : k == 2 ? (S2 ? S2 : n2) : 1; }
    __both long stride(int k) const { return k == 0 ? n1 * n2 : k == 1 ? n2 : 1; }
    __both long span() const { return n0 * n1 * n2; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutRight, 4, S0, S1, S2, S3> {
    long n0, n1, n2, n3;
    __both __shape(long a = 0, long b = 0, long c = 0, long d = 0)
        : n0(S0 ? S0 : a), n1(S1 ? S1 : b), n2(S2 ? S2 : c), n3(S3 ? S3 : d)
    {
    }
    __both static __shape of(const long *n, const long *) { return __shape(n[0], n[1], n[2], n[3]); }
    __both long offset(long i, long j, long k, long l) const
    {
        return ((i * (S1 ? S1 : n1) + j) * (S2 ? S2 : n2) + k) * (S3 ? S3 : n3) + l;
    }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? n1 : k == 2 ? n2 : n3; }
    __both long stride(int k) const { return k == 0 ? n1 * n2 * n3 : k == 1 ? n2 * n3 : k == 2 ? n3 : 1; }
    __both long span() const { return n0 * n1 * n2 * n3; }
};

template <long S0, long S1, long S2, long S3> struct __shape<LayoutStride, 1, S0, S1, S2, S3> {
    long n0, s0;
    __both __shape(long a = 0, long p = 1) : n0(a), s0(p) {}
    __both static __shape of(const long *n, const long *s) { return __shape(n[0], s[0]); }
    __both long offset(long i) const { return i * s0; }
    __both long extent(int k) const { return k == 0 ? n0 : 1; }
    __both long stride(int) const { return s0; }
    __both long span() const { return n0 == 0 ? 0 : (n0 - 1) * s0 + 1; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutStride, 2, S0, S1, S2, S3> {
    long n0, n1, s0, s1;
    __both __shape(long a = 0, long b = 0, long p = 1, long q = 1) : n0(a), n1(b), s0(p), s1(q) {}
    __both static __shape of(const long *n, const long *s) { return __shape(n[0], n[1], s[0], s[1]); }
    __both long offset(long i, long j) const { return i * s0 + j * s1; }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? n1 : 1; }
    __both long stride(int k) const { return k == 0 ? s0 : s1; }
    __both long span() const { return n0 * n1 == 0 ? 0 : (n0 - 1) * s0 + (n1 - 1) * s1 + 1; }
};
template <long S0, long S1, long S2, long S3> struct __shape<LayoutStride, 3, S0, S1, S2, S3> {
    long n0, n1, n2, s0, s1, s2;
    __both __shape() : n0(0), n1(0), n2(0), s0(1), s1(1), s2(1) {}
    __both __shape(long a, long b, long c, long p, long q, long r) : n0(a), n1(b), n2(c), s0(p), s1(q), s2(r) {}
    __both static __shape of(const long *n, const long *s) { return __shape(n[0], n[1], n[2], s[0], s[1], s[2]); }
    __both long offset(long i, long j, long k) const { return i * s0 + j * s1 + k * s2; }
    __both long extent(int k) const { return k == 0 ? n0 : k == 1 ? n1 : k == 2 ? n2 : 1; }
    __both long stride(int k) const { return k == 0 ? s0 : k == 1 ? s1 : s2; }
    __both long span() const
    {
        return n0 * n1 * n2 == 0 ? 0 : (n0 - 1) * s0 + (n1 - 1) * s1 + (n2 - 1) * s2 + 1;
    }
};

// --- types ---------------------------------------------------------------------------------------

template <int N, long... S> struct __axes {
    static constexpr int rank = N + sizeof...(S);
    static constexpr long at(int k)
    {
        const long known[] = {S..., 0};
        return k < N || k >= rank ? 0 : known[k - N];
    }
};
template <class D, int N, long... S> struct __peeled {
    typedef D element;
    typedef __axes<N, S...> axes;
};
template <class D, int N, long... S> struct __peeled<D *, N, S...> {
    typedef typename __peeled<D, N + 1, S...>::element element;
    typedef typename __peeled<D, N + 1, S...>::axes axes;
};
template <class D, size_t K, int N, long... S> struct __peeled<D[K], N, S...> {
    typedef typename __peeled<D, N, S..., (long)K>::element element;
    typedef typename __peeled<D, N, S..., (long)K>::axes axes;
};
template <class T, int R> struct __pointers { typedef typename __pointers<T, R - 1>::type *type; };
template <class T> struct __pointers<T, 0> { typedef T type; };

enum __without { WithoutInitializing };
struct __allocation {
    bool zero;
};
inline __allocation view_alloc(const char *) { return __allocation{true}; }
inline __allocation view_alloc(__without, const char *) { return __allocation{false}; }
inline __allocation view_alloc(const char *, __without) { return __allocation{false}; }

// The memory of a team, of which so much is used.
struct __scratch {
    long *used;
};

template <class T> struct __atomic_element {
    T *at;
    __both void operator+=(const T &v) const { atomicAdd(at, v); }
    __both void operator-=(const T &v) const { atomicAdd(at, -v); }
    __both void operator++() const { atomicAdd(at, T(1)); }
    __both void operator=(const T &v) const { *at = v; }
    __both operator T() const { return *at; }
};

template <class D, class... P> class View {
public:
    typedef typename __peeled<D, 0>::element value_type;
    typedef std::remove_const_t<value_type> non_const_value_type;
    typedef const value_type const_value_type;
    typedef D data_type;
    typedef value_type *pointer_type;
    typedef value_type &reference_type;
    typedef long size_type;
    static constexpr int __where = __given<P...>::space ? __given<P...>::space : __of_device;
    typedef typename __given<P...>::template layout<
        std::conditional_t<__where == __of_host || __where == __of_team, LayoutRight, LayoutLeft>>::type array_layout;
    typedef std::conditional_t<__where == __of_host, HostSpace,
                               std::conditional_t<__where == __of_both, CudaUVMSpace, CudaSpace>>
        memory_space;
    typedef std::conditional_t<__where == __of_host, Serial, Cuda> execution_space;
    typedef Device<execution_space, memory_space> device_type;
    typedef typename __peeled<D, 0>::axes __axes_type;
    static constexpr int rank = __axes_type::rank, Rank = rank;
    static constexpr bool __atomic = (__given<P...>::flags & 4) != 0;
    typedef __shape<array_layout, rank, __axes_type::at(0), __axes_type::at(1), __axes_type::at(2), __axes_type::at(3)>
        __shape_type;
    typedef std::conditional_t<__where == __of_host, __counted_on_host, __counted_on_device> __owners;
    typedef View<D, array_layout, HostSpace> HostMirror;
    typedef HostMirror host_mirror_type;
    typedef View<typename __pointers<const value_type, rank>::type, array_layout, memory_space> const_type;
    typedef View<typename __pointers<non_const_value_type, rank>::type, array_layout, memory_space> non_const_type;

    value_type *at;
    __shape_type shape;
    __owners held;

    __both View() : at(nullptr), shape(), held() {}
    template <class... N> explicit View(const char *, N... n) : at(nullptr), shape((long)n...), held()
    {
        __allocate(true);
    }
    View(const char *, const __shape_type &s) : at(nullptr), shape(s), held() { __allocate(true); }
    template <class... N> explicit View(__allocation how, N... n) : at(nullptr), shape((long)n...), held()
    {
        __allocate(how.zero);
    }
    template <class... N> __both explicit View(value_type *p, N... n) : at(p), shape((long)n...), held() {}
    template <class... N> __device__ explicit View(const __scratch &s, N... n) : at(nullptr), shape((long)n...), held()
    {
        extern __shared__ char __team_memory[];
        at = (value_type *)(__team_memory + *s.used);
        *s.used += (shape.span() * (long)sizeof(value_type) + 7) / 8 * 8;
    }
    __both View(value_type *p, const __shape_type &s, const __owners &h) : at(p), shape(s), held(h) {}
    template <class E, class... Q> __both View(const View<E, Q...> &o) : at(o.at), shape(__like(o)), held(o.held) {}

    template <bool A = __atomic, class = std::enable_if_t<!A>> __both value_type &operator()() const { return at[0]; }
    template <bool A = __atomic, class = std::enable_if_t<!A>> __both value_type &operator()(long i) const
    {
        return at[shape.offset(i)];
    }
    template <bool A = __atomic, class = std::enable_if_t<!A>> __both value_type &operator[](long i) const
    {
        return at[shape.offset(i)];
    }
    template <bool A = __atomic, class = std::enable_if_t<!A>> __both value_type &operator()(long i, long j) const
    {
        return at[shape.offset(i, j)];
    }
    template <bool A = __atomic, class = std::enable_if_t<!A>>
    __both value_type &operator()(long i, long j, long k) const
    {
        return at[shape.offset(i, j, k)];
    }
    template <bool A = __atomic, class = std::enable_if_t<!A>>
    __both value_type &operator()(long i, long j, long k, long l) const
    {
        return at[shape.offset(i, j, k, l)];
    }
    template <class... I, bool A = __atomic, class = std::enable_if_t<A>>
    __both __atomic_element<value_type> operator()(I... i) const
    {
        return __atomic_element<value_type>{at + shape.offset((long)i...)};
    }
    template <bool A = __atomic, class = std::enable_if_t<A>> __both __atomic_element<value_type> operator[](long i) const
    {
        return __atomic_element<value_type>{at + shape.offset(i)};
    }

    __both value_type *data() const { return at; }
    __both long extent(int k) const { return shape.extent(k); }
    __both int extent_int(int k) const { return (int)shape.extent(k); }
    static constexpr long static_extent(int k) { return __axes_type::at(k); }
    __both long stride(int k) const { return shape.stride(k); }
    __both long size() const { return shape.extent(0) * shape.extent(1) * shape.extent(2) * shape.extent(3); }
    __both long span() const { return shape.span(); }
    __both bool is_allocated() const { return at != nullptr; }
    __both bool span_is_contiguous() const { return size() == span(); }
    long use_count() const { return held.owners != nullptr ? *held.owners : 0; }
    template <class... N> __both static size_t shmem_size(N... n)
    {
        return (__shape_type((long)n...).span() * sizeof(value_type) + 7) / 8 * 8;
    }

private:
    void __allocate(bool zero)
    {
        long bytes = shape.span() * (long)sizeof(value_type);
        if constexpr (__where == __of_host) {
            at = (value_type *)calloc(shape.span(), sizeof(value_type));
        } else if constexpr (__where == __of_both) {
            cudaMallocManaged((void **)&at, bytes);
            cudaMemset(at, 0, bytes);
        } else {
            cudaMalloc((void **)&at, bytes);
            if (zero)
                cudaMemset(at, 0, bytes);
        }
        held.memory = at;
        held.owners = (long *)malloc(sizeof(long));
        *held.owners = 1;
    }
    template <class V> __both static __shape_type __like(const V &o)
    {
        static_assert(V::rank == rank, "views of several ranks");
        constexpr bool plain = std::is_same<typename V::array_layout, array_layout>::value || rank == 0 ||
                               std::is_same<array_layout, LayoutStride>::value ||
                               (rank == 1 && !std::is_same<typename V::array_layout, LayoutStride>::value);
        static_assert(plain, "a view of another layout");
        const long n[] = {o.extent(0), o.extent(1), o.extent(2), o.extent(3)};
        const long s[] = {o.stride(0), o.stride(1), o.stride(2), o.stride(3)};
        return __shape_type::of(n, s);
    }
};

}  // namespace Kokkos
