// What hetad reads in place of thrust: memory of the device, iterators, and kernels over them.
namespace thrust {

using std::divides;
using std::get;
using std::greater;
using std::less;
using std::make_pair;
using std::make_tuple;
using std::minus;
using std::multiplies;
using std::negate;
using std::pair;
using std::plus;
using std::tie;
using std::tuple;
template <class T> using host_vector = std::vector<T>;
template <class T> struct maximum {
    __both T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct minimum {
    __both T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct identity {
    __both T operator()(const T &a) const { return a; }
};
template <class T> struct square {
    __both T operator()(const T &a) const { return a * a; }
};

enum __on_device_policy { device };
enum __on_host_policy { host };

// --- pointers ------------------------------------------------------------------------------------

template <class T> struct device_ptr;
template <class T> struct device_reference {
    T *at;
    explicit device_reference(T *p) : at(p) {}
    device_ptr<T> operator&() const { return device_ptr<T>(at); }
    operator T() const
    {
        T value;
        cudaMemcpy(&value, at, sizeof(T), cudaMemcpyDeviceToHost);
        return value;
    }
    device_reference &operator=(const T &given)
    {
        T value = given;
        cudaMemcpy(at, &value, sizeof(T), cudaMemcpyHostToDevice);
        return *this;
    }
    device_reference &operator=(const device_reference &other)
    {
        cudaMemcpy(at, other.at, sizeof(T), cudaMemcpyDeviceToDevice);
        return *this;
    }
    device_reference &operator+=(const T &value) { return *this = T(*this) + value; }
    device_reference &operator-=(const T &value) { return *this = T(*this) - value; }
    device_reference &operator*=(const T &value) { return *this = T(*this) * value; }
    device_reference &operator/=(const T &value) { return *this = T(*this) / value; }
};

template <class T> struct device_ptr {
    typedef T value_type;
    typedef T __raw_type;
    T *at;
    device_ptr() : at(nullptr) {}
    explicit device_ptr(T *p) : at(p) {}
    T *get() const { return at; }
    device_ptr operator+(long n) const { return device_ptr(at + n); }
    device_ptr operator-(long n) const { return device_ptr(at - n); }
    long operator-(const device_ptr &o) const { return at - o.at; }
    device_ptr &operator+=(long n)
    {
        at += n;
        return *this;
    }
    device_ptr &operator++()
    {
        ++at;
        return *this;
    }
    bool operator==(const device_ptr &o) const { return at == o.at; }
    bool operator!=(const device_ptr &o) const { return at != o.at; }
    device_reference<T> operator*() const { return device_reference<T>(at); }
    device_reference<T> operator[](long i) const { return device_reference<T>(at + i); }
};
template <class T> T *raw_pointer_cast(device_ptr<T> p) { return p.at; }
template <class T> T *raw_pointer_cast(T *p) { return p; }
template <class T> device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> device_ptr<T> device_malloc(size_t n)
{
    T *p;
    cudaMalloc((void **)&p, n * sizeof(T));
    return device_ptr<T>(p);
}
template <class T> void device_free(device_ptr<T> p) { cudaFree(p.at); }

// --- iterators -----------------------------------------------------------------------------------

template <class T> struct counting_iterator {
    typedef T value_type;
    T start;
    __both explicit counting_iterator(T s) : start(s) {}
    __both T operator[](long i) const { return start + T(i); }
    __both T operator*() const { return start; }
    __both counting_iterator operator+(long n) const { return counting_iterator(start + T(n)); }
    __both long operator-(const counting_iterator &o) const { return long(start) - long(o.start); }
};
template <class T> counting_iterator<T> make_counting_iterator(T start) { return counting_iterator<T>(start); }

template <class T> struct constant_iterator {
    typedef T value_type;
    T value;
    long place;
    __both explicit constant_iterator(T v, long p = 0) : value(v), place(p) {}
    __both T operator[](long) const { return value; }
    __both T operator*() const { return value; }
    __both constant_iterator operator+(long n) const { return constant_iterator(value, place + n); }
    __both long operator-(const constant_iterator &o) const { return place - o.place; }
};
template <class T> constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

template <class F, class I> struct transform_iterator {
    typedef std::decay_t<decltype(std::__value<F>()(std::__value<I>()[0]))> value_type;
    I from;
    F f;
    __both transform_iterator(I i, F g) : from(i), f(g) {}
    __both value_type operator[](long i) const { return f(from[i]); }
    __both transform_iterator operator+(long n) const { return transform_iterator(from + n, f); }
    __both long operator-(const transform_iterator &o) const { return from - o.from; }
};

template <class I, class J, class F> struct __paired {
    I one;
    J other;
    F f;
    __both auto operator[](long i) const { return f(one[i], other[i]); }
};

template <class... I> struct __zip_of;
template <class... I> struct zip_iterator;
template <class A, class B> struct zip_iterator<tuple<A, B>> {
    typedef tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type> value_type;
    A a;
    B b;
    __both zip_iterator(A p, B q) : a(p), b(q) {}
    __both zip_iterator(tuple<A, B> t) : a(get<0>(t)), b(get<1>(t)) {}
    __both auto operator[](long i) const { return tuple<decltype(a[0]), decltype(b[0])>(a[i], b[i]); }
    __both zip_iterator operator+(long n) const { return zip_iterator(a + n, b + n); }
    __both long operator-(const zip_iterator &o) const { return a - o.a; }
};
template <class A, class B, class C> struct zip_iterator<tuple<A, B, C>> {
    typedef tuple<typename std::iterator_traits<A>::value_type, typename std::iterator_traits<B>::value_type,
                  typename std::iterator_traits<C>::value_type>
        value_type;
    A a;
    B b;
    C c;
    __both zip_iterator(A p, B q, C r) : a(p), b(q), c(r) {}
    __both zip_iterator(tuple<A, B, C> t) : a(get<0>(t)), b(get<1>(t)), c(get<2>(t)) {}
    __both auto operator[](long i) const
    {
        return tuple<decltype(a[0]), decltype(b[0]), decltype(c[0])>(a[i], b[i], c[i]);
    }
    __both zip_iterator operator+(long n) const { return zip_iterator(a + n, b + n, c + n); }
    __both long operator-(const zip_iterator &o) const { return a - o.a; }
};
template <class... I> zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return zip_iterator<tuple<I...>>(t); }
template <class A, class B> zip_iterator<tuple<A, B>> make_zip_iterator(A a, B b)
{
    return zip_iterator<tuple<A, B>>(a, b);
}
template <class A, class B, class C> zip_iterator<tuple<A, B, C>> make_zip_iterator(A a, B b, C c)
{
    return zip_iterator<tuple<A, B, C>>(a, b, c);
}

// An iterator as a kernel takes it: pointers for pointers of the device.
template <class I> I __raw(I i) { return i; }
template <class T> T *__raw(device_ptr<T> p) { return p.at; }
template <class A, class B> auto __raw(zip_iterator<tuple<A, B>> z)
{
    return zip_iterator<tuple<decltype(__raw(z.a)), decltype(__raw(z.b))>>(__raw(z.a), __raw(z.b));
}
template <class A, class B, class C> auto __raw(zip_iterator<tuple<A, B, C>> z)
{
    return zip_iterator<tuple<decltype(__raw(z.a)), decltype(__raw(z.b)), decltype(__raw(z.c))>>(__raw(z.a), __raw(z.b),
                                                                                                 __raw(z.c));
}
template <class F, class I> struct __lazy {
    typedef typename std::iterator_traits<I>::value_type __from;
    typedef std::decay_t<decltype(std::__value<F>()(std::__value<__from>()))> value_type;
    I from;
    F f;
    __lazy operator+(long n) const { return __lazy{from + n, f}; }
    long operator-(const __lazy &o) const { return from - o.from; }
};
template <class F, class I> __lazy<F, I> make_transform_iterator(I from, F f) { return __lazy<F, I>{from, f}; }
template <class F, class I> auto __raw(__lazy<F, I> t)
{
    return transform_iterator<F, decltype(__raw(t.from))>(__raw(t.from), t.f);
}

// Where an iterator leads to.
template <class I> struct __leads { static constexpr bool to_device = false; };
template <class T> struct __leads<device_ptr<T>> { static constexpr bool to_device = true; };
template <class F, class I> struct __leads<__lazy<F, I>> : __leads<I> {};
template <class A, class B> struct __leads<zip_iterator<tuple<A, B>>> {
    static constexpr bool to_device = __leads<A>::to_device || __leads<B>::to_device;
};
template <class A, class B, class C> struct __leads<zip_iterator<tuple<A, B, C>>> {
    static constexpr bool to_device = __leads<A>::to_device || __leads<B>::to_device || __leads<C>::to_device;
};

// --- kernels -------------------------------------------------------------------------------------

inline unsigned __blocks(long n) { return (unsigned)((n + 255) / 256); }
template <class I, class O, class F> __global__ void transform_kernel(I in, O out, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(in[i]);
}
template <class I, class J, class O, class F> __global__ void transform_pairs_kernel(I one, J other, O out, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = f(one[i], other[i]);
}
template <class I, class O> __global__ void copy_kernel(I in, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
template <class O, class T> __global__ void fill_kernel(O out, T value, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}
template <class O, class T> __global__ void sequence_kernel(O out, T start, T step, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = start + step * T(i);
}
template <class I, class F> __global__ void for_each_kernel(I in, F f, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        f(in[i]);
}
template <class M, class I, class O> __global__ void gather_kernel(M map, I in, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[map[i]];
}
template <class M, class I, class O> __global__ void scatter_kernel(I in, M map, O out, long n)
{
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n)
        out[map[i]] = in[i];
}
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

// --- algorithms ----------------------------------------------------------------------------------

template <bool D, class I, class O, class F> void __transform(I in, O out, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            transform_kernel<<<__blocks(n), 256>>>(in, out, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = f(in[i]);
    }
}
template <class I, class O, class F> O transform(I from, I to, O out, F f)
{
    long n = to - from;
    __transform<__leads<I>::to_device || __leads<O>::to_device>(__raw(from), __raw(out), f, n);
    return out + n;
}
template <class I, class O, class F> O transform(__on_device_policy, I from, I to, O out, F f)
{
    long n = to - from;
    __transform<true>(__raw(from), __raw(out), f, n);
    return out + n;
}
template <bool D, class I, class J, class O, class F> void __transform_pairs(I in, J with, O out, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            transform_pairs_kernel<<<__blocks(n), 256>>>(in, with, out, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = f(in[i], with[i]);
    }
}
template <class I, class J, class O, class F> O transform(I from, I to, J with, O out, F f)
{
    long n = to - from;
    __transform_pairs<__leads<I>::to_device || __leads<O>::to_device>(__raw(from), __raw(with), __raw(out), f, n);
    return out + n;
}
template <class I, class J, class O, class F> O transform(__on_device_policy, I from, I to, J with, O out, F f)
{
    long n = to - from;
    __transform_pairs<true>(__raw(from), __raw(with), __raw(out), f, n);
    return out + n;
}

template <bool D, class I, class F> void __for_each(I in, F f, long n)
{
    if constexpr (D) {
        if (n > 0)
            for_each_kernel<<<__blocks(n), 256>>>(in, f, n);
    } else {
        for (long i = 0; i < n; ++i)
            f(in[i]);
    }
}
template <class I, class F> I for_each(I from, I to, F f)
{
    __for_each<__leads<I>::to_device>(__raw(from), f, to - from);
    return to;
}
template <class I, class F> I for_each(__on_device_policy, I from, I to, F f)
{
    __for_each<true>(__raw(from), f, to - from);
    return to;
}
template <class I, class N, class F> I for_each_n(I from, N n, F f)
{
    __for_each<__leads<I>::to_device>(__raw(from), f, (long)n);
    return from + n;
}
template <class I, class N, class F> I for_each_n(__on_device_policy, I from, N n, F f)
{
    __for_each<true>(__raw(from), f, (long)n);
    return from + n;
}

template <class I, class T> void fill(I from, I to, const T &value)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<I>::to_device) {
        if (n > 0)
            fill_kernel<<<__blocks(n), 256>>>(__raw(from), Element(value), n);
    } else {
        Element held = value;
        for (long i = 0; i < n; ++i)
            from[i] = held;
    }
}
template <class T, class U> void fill(__on_device_policy, T *from, T *to, const U &value)
{
    thrust::fill(device_ptr<T>(from), device_ptr<T>(to), value);
}
template <class I, class T> void sequence(I from, I to, T start, T step)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<I>::to_device) {
        if (n > 0)
            sequence_kernel<<<__blocks(n), 256>>>(__raw(from), Element(start), Element(step), n);
    } else {
        for (long i = 0; i < n; ++i)
            from[i] = start + step * T(i);
    }
}
template <class I, class T> void sequence(I from, I to, T start) { thrust::sequence(from, to, start, T(1)); }
template <class I> void sequence(I from, I to)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    thrust::sequence(from, to, Element(0), Element(1));
}

template <class I, class O> O copy(I from, I to, O out)
{
    typedef typename std::iterator_traits<I>::value_type Element;
    long n = to - from;
    if constexpr (__leads<I>::to_device && __leads<O>::to_device) {
        if (n > 0)
            copy_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(out), n);
    } else if constexpr (__leads<O>::to_device) {
        cudaMemcpy(out.at, from, n * sizeof(Element), cudaMemcpyHostToDevice);
    } else if constexpr (__leads<I>::to_device) {
        cudaMemcpy(out, from.at, n * sizeof(Element), cudaMemcpyDeviceToHost);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = from[i];
    }
    return out + n;
}
template <class I, class N, class O> O copy_n(I from, N n, O out) { return thrust::copy(from, from + n, out); }
template <class M, class I, class O> O gather(M from, M to, I in, O out)
{
    long n = to - from;
    if constexpr (__leads<M>::to_device) {
        if (n > 0)
            gather_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(in), __raw(out), n);
    } else {
        for (long i = 0; i < n; ++i)
            out[i] = in[from[i]];
    }
    return out + n;
}
template <class I, class M, class O> void scatter(I from, I to, M map, O out)
{
    long n = to - from;
    if constexpr (__leads<M>::to_device) {
        if (n > 0)
            scatter_kernel<<<__blocks(n), 256>>>(__raw(from), __raw(map), __raw(out), n);
    } else {
        for (long i = 0; i < n; ++i)
            out[map[i]] = from[i];
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

// --- memory --------------------------------------------------------------------------------------

template <class T> class device_vector {
public:
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<T> pointer;
    typedef void __on_device;

    device_vector() : first(nullptr), count(0), room(0) {}
    explicit device_vector(size_t n) : first(nullptr), count(n), room(n)
    {
        cudaMalloc((void **)&first, n * sizeof(T));
        cudaMemset(first, 0, n * sizeof(T));
    }
    device_vector(size_t n, const T &value) : first(nullptr), count(n), room(n)
    {
        cudaMalloc((void **)&first, n * sizeof(T));
        thrust::fill(begin(), end(), value);
    }
    template <class I, class = std::__iterator_only<I>> device_vector(I from, I to)
        : first(nullptr), count(to - from), room(to - from)
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        thrust::copy(from, to, begin());
    }
    device_vector(const std::vector<T> &v) : first(nullptr), count(v.size()), room(v.size())
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        cudaMemcpy(first, v.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    device_vector(const device_vector &o) : first(nullptr), count(o.count), room(o.count)
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        cudaMemcpy(first, o.first, count * sizeof(T), cudaMemcpyDeviceToDevice);
    }
    device_vector(device_vector &&o) : first(o.first), count(o.count), room(o.room)
    {
        o.first = nullptr;
        o.count = 0;
        o.room = 0;
    }
    ~device_vector() { cudaFree(first); }
    device_vector &operator=(const device_vector &o)
    {
        if (this != &o) {
            __assign_room(o.count);
            cudaMemcpy(first, o.first, count * sizeof(T), cudaMemcpyDeviceToDevice);
        }
        return *this;
    }
    device_vector &operator=(device_vector &&o)
    {
        if (this != &o) {
            cudaFree(first);
            first = o.first;
            count = o.count;
            room = o.room;
            o.first = nullptr;
            o.count = 0;
            o.room = 0;
        }
        return *this;
    }
    device_vector &operator=(const std::vector<T> &v)
    {
        __assign_room(v.size());
        cudaMemcpy(first, v.data(), count * sizeof(T), cudaMemcpyHostToDevice);
        return *this;
    }

    device_ptr<T> begin() const { return device_ptr<T>(first); }
    device_ptr<T> end() const { return device_ptr<T>(first + count); }
    device_ptr<T> data() const { return device_ptr<T>(first); }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    device_reference<T> operator[](size_t i) const { return device_reference<T>(first + i); }
    device_reference<T> front() const { return device_reference<T>(first); }
    device_reference<T> back() const { return device_reference<T>(first + (count - 1)); }
    void clear() { count = 0; }
    void reserve(size_t n)
    {
        if (n > room)
            __grow(n);
    }
    void resize(size_t n) { resize(n, T()); }
    void resize(size_t n, const T &value)
    {
        size_t before = count;
        if (n > room)
            __grow(n);
        count = n;
        if (n > before)
            thrust::fill(begin() + before, end(), value);
    }
    void push_back(const T &value)
    {
        if (count == room)
            __grow(room == 0 ? 1 : 2 * room);
        ++count;
        back() = value;
    }
    template <class I> void assign(I from, I to)
    {
        __assign_room(to - from);
        thrust::copy(from, to, begin());
    }
    void swap(device_vector &o)
    {
        std::swap(first, o.first);
        std::swap(count, o.count);
        std::swap(room, o.room);
    }
    void __download(T *host) const { cudaMemcpy(host, first, count * sizeof(T), cudaMemcpyDeviceToHost); }

private:
    T *first;
    size_t count, room;

    void __grow(size_t n)
    {
        T *wider;
        cudaMalloc((void **)&wider, n * sizeof(T));
        cudaMemcpy(wider, first, count * sizeof(T), cudaMemcpyDeviceToDevice);
        cudaFree(first);
        first = wider;
        room = n;
    }
    void __assign_room(size_t n)
    {
        if (n > room) {
            cudaFree(first);
            cudaMalloc((void **)&first, n * sizeof(T));
            room = n;
        }
        count = n;
    }
};

template <class T> void swap(device_vector<T> &a, device_vector<T> &b) { a.swap(b); }

}  // namespace thrust
