// What hetad reads in place of thrust: memory of the device, iterators, and kernels over them.
namespace thrust {

using std::binary_function;
using std::divides;
using std::equal_to;
using std::not_equal_to;
using std::less_equal;
using std::greater_equal;
using std::get;
using std::greater;
using std::less;
using std::logical_and;
using std::logical_or;
using std::make_pair;
using std::make_tuple;
using std::minus;
using std::multiplies;
using std::negate;
using std::pair;
using std::plus;
using std::tie;
using std::tuple;
using std::unary_function;
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
// All work is done in one stream.
namespace cuda {
struct __on_stream {
    __on_device_policy on(cudaStream_t) const { return thrust::device; }
    operator __on_device_policy() const { return thrust::device; }
};
static const __on_stream par{};
}  // namespace cuda

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
// What pointers mean under the policy of the device.
template <class I> I __there(I i) { return i; }
template <class T> device_ptr<T> __there(T *p) { return device_ptr<T>(p); }
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

template <class Z> struct zip_iterator;
template <class... I> struct zip_iterator<tuple<I...>> {
    typedef tuple<typename std::iterator_traits<I>::value_type...> value_type;
    typedef std::make_index_sequence<sizeof...(I)> __places;
    tuple<I...> of;
    __both zip_iterator(tuple<I...> t) : of(t) {}
    __both zip_iterator(I... i) : of(i...) {}
    __both auto operator[](long i) const { return __at(i, __places()); }
    __both auto operator*() const { return __at(0, __places()); }
    __both zip_iterator operator+(long n) const { return __moved(n, __places()); }
    __both long operator-(const zip_iterator &o) const { return get<0>(of) - get<0>(o.of); }
    __both const tuple<I...> &get_iterator_tuple() const { return of; }
    template <size_t... K> __both auto __at(long i, std::index_sequence<K...>) const
    {
        return tuple<decltype(get<K>(of)[0])...>(get<K>(of)[i]...);
    }
    template <size_t... K> __both zip_iterator __moved(long n, std::index_sequence<K...>) const
    {
        return zip_iterator((get<K>(of) + n)...);
    }
};
template <class... I> zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return zip_iterator<tuple<I...>>(t); }
template <class... I> zip_iterator<tuple<I...>> make_zip_iterator(I... i) { return zip_iterator<tuple<I...>>(i...); }

// Elements at the places of a map, to read and to write.
template <class I, class M> struct permutation_iterator {
    typedef typename std::iterator_traits<I>::value_type value_type;
    I elements;
    M map;
    __both permutation_iterator(I e, M m) : elements(e), map(m) {}
    __both decltype(auto) operator[](long i) const { return elements[map[i]]; }
    __both decltype(auto) operator*() const { return elements[map[0]]; }
    __both permutation_iterator operator+(long n) const { return permutation_iterator(elements, map + n); }
    __both long operator-(const permutation_iterator &o) const { return map - o.map; }
};
template <class I, class M> permutation_iterator<I, M> make_permutation_iterator(I elements, M map)
{
    return permutation_iterator<I, M>(elements, map);
}

// Takes all that is written, and keeps nothing.
struct __nowhere {
    template <class T> __both void operator=(const T &) const {}
};
template <class T = void> struct __discards {
    typedef int value_type;
    long place;
    __both __discards(long p = 0) : place(p) {}
    __both __nowhere operator[](long) const { return __nowhere(); }
    __both __discards operator+(long n) const { return __discards(place + n); }
    __both long operator-(const __discards &o) const { return place - o.place; }
};
using discard_iterator = __discards<>;
inline discard_iterator make_discard_iterator() { return discard_iterator(); }

// An iterator as a kernel takes it: pointers for pointers of the device.
template <class I> I __raw(I i) { return i; }
template <class T> T *__raw(device_ptr<T> p) { return p.at; }
template <class... I> auto __raw(zip_iterator<tuple<I...>> z) { return __raw_of(z, typename decltype(z)::__places()); }
template <class... I, size_t... K> auto __raw_of(zip_iterator<tuple<I...>> z, std::index_sequence<K...>)
{
    return zip_iterator<tuple<decltype(__raw(get<K>(z.of)))...>>(__raw(get<K>(z.of))...);
}
template <class I, class M> auto __raw(permutation_iterator<I, M> p)
{
    return permutation_iterator<decltype(__raw(p.elements)), decltype(__raw(p.map))>(__raw(p.elements), __raw(p.map));
}
template <class F, class I> struct __lazy {
    typedef typename std::iterator_traits<I>::value_type __from;
    typedef std::decay_t<decltype(std::__value<F>()(std::__value<__from>()))> value_type;
    I from;
    F f;
    __both auto operator[](long i) const { return f(from[i]); }
    __both auto operator*() const { return f(*from); }
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
template <class I, class M> struct __leads<permutation_iterator<I, M>> {
    static constexpr bool to_device = __leads<I>::to_device || __leads<M>::to_device;
};
template <class... I> struct __leads<zip_iterator<tuple<I...>>> {
    static constexpr bool to_device = (__leads<I>::to_device || ...);
};

}  // namespace thrust
