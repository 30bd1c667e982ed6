// What hetad reads in place of the headers of the C++ library.
namespace std {

template <class T> struct numeric_limits;
template <> struct numeric_limits<float> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true;
    static constexpr int digits = 24, digits10 = 6, radix = 2;
    __both static constexpr float max() { return 3.402823466e+38f; }
    __both static constexpr float min() { return 1.175494351e-38f; }
    __both static constexpr float lowest() { return -3.402823466e+38f; }
    __both static constexpr float epsilon() { return 1.192092896e-07f; }
    __both static constexpr float infinity() { return __builtin_huge_valf(); }
    __both static constexpr float quiet_NaN() { return __builtin_nanf(""); }
};
template <> struct numeric_limits<double> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, is_exact = false;
    static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true;
    static constexpr int digits = 53, digits10 = 15, radix = 2;
    __both static constexpr double max() { return 1.7976931348623158e+308; }
    __both static constexpr double min() { return 2.2250738585072014e-308; }
    __both static constexpr double lowest() { return -1.7976931348623158e+308; }
    __both static constexpr double epsilon() { return 2.2204460492503131e-16; }
    __both static constexpr double infinity() { return __builtin_huge_val(); }
    __both static constexpr double quiet_NaN() { return __builtin_nan(""); }
};
template <class T> struct __integer_limits {
    static constexpr bool is_specialized = true, is_integer = true, is_signed = T(-1) < T(0), is_exact = true;
    static constexpr bool has_infinity = false, has_quiet_NaN = false, is_iec559 = false;
    static constexpr int digits = 8 * sizeof(T) - is_signed, radix = 2;
    __both static constexpr T max() { return T(-1) < T(0) ? T((1ull << (8 * sizeof(T) - 1)) - 1) : T(-1); }
    __both static constexpr T min() { return T(-1) < T(0) ? T(1ull << (8 * sizeof(T) - 1)) : T(0); }
    __both static constexpr T lowest() { return min(); }
};
template <> struct numeric_limits<int> : __integer_limits<int> {};
template <> struct numeric_limits<unsigned> : __integer_limits<unsigned> {};
template <> struct numeric_limits<long> : __integer_limits<long> {};
template <> struct numeric_limits<unsigned long> : __integer_limits<unsigned long> {};
template <> struct numeric_limits<long long> : __integer_limits<long long> {};
template <> struct numeric_limits<unsigned long long> : __integer_limits<unsigned long long> {};
template <> struct numeric_limits<short> : __integer_limits<short> {};
template <> struct numeric_limits<unsigned short> : __integer_limits<unsigned short> {};
template <> struct numeric_limits<char> : __integer_limits<char> {};
template <> struct numeric_limits<unsigned char> : __integer_limits<unsigned char> {};

struct __in_parts {};  // says that what follows is for the first member, and the rest for the second
template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    __both constexpr pair() : first(), second() {}
    __both constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <class U, class V> __both constexpr pair(U &&u, V &&v) : first(forward<U>(u)), second(forward<V>(v)) {}
    template <class U, class V> __both constexpr pair(const pair<U, V> &other) : first(other.first), second(other.second) {}
    template <class U, class V> __both constexpr pair(pair<U, V> &&other)
        : first(forward<U>(other.first)), second(forward<V>(other.second))
    {
    }
    template <class U, class... V> __both constexpr pair(__in_parts, U &&u, V &&...v)
        : first(forward<U>(u)), second(forward<V>(v)...)
    {
    }
};
template <class A, class B> __both constexpr pair<A, B> make_pair(A a, B b) { return pair<A, B>(move(a), move(b)); }
template <class A, class B> __both constexpr bool operator==(const pair<A, B> &a, const pair<A, B> &b)
{
    return a.first == b.first && a.second == b.second;
}
template <class A, class B> __both constexpr bool operator<(const pair<A, B> &a, const pair<A, B> &b)
{
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <class A, class B> __both constexpr bool operator!=(const pair<A, B> &a, const pair<A, B> &b) { return !(a == b); }
template <class A, class B> __both constexpr bool operator>(const pair<A, B> &a, const pair<A, B> &b) { return b < a; }
template <class A, class B> __both constexpr bool operator<=(const pair<A, B> &a, const pair<A, B> &b) { return !(b < a); }
template <class A, class B> __both constexpr bool operator>=(const pair<A, B> &a, const pair<A, B> &b) { return !(a < b); }

template <class T> __both T max(initializer_list<T> list)
{
    T best = list.begin()[0];
    for (size_t i = 1; i < list.size(); ++i)
        best = best < list.begin()[i] ? list.begin()[i] : best;
    return best;
}
template <class T> __both T min(initializer_list<T> list)
{
    T best = list.begin()[0];
    for (size_t i = 1; i < list.size(); ++i)
        best = list.begin()[i] < best ? list.begin()[i] : best;
    return best;
}
template <class T> __both pair<T, T> minmax(const T &a, const T &b) { return b < a ? pair<T, T>(b, a) : pair<T, T>(a, b); }

template <class I> struct iterator_traits { typedef typename I::value_type value_type; };
template <class T> struct iterator_traits<T *> { typedef T value_type; };
template <class T> struct iterator_traits<const T *> { typedef T value_type; };
template <class T> __both T __value();
template <class I> auto __distance(I from, I to, int) -> decltype(long(to - from)) { return to - from; }
template <class I> long __distance(I from, I to, long)
{
    long n = 0;
    for (; from != to; ++from)
        ++n;
    return n;
}
template <class I> long distance(I from, I to) { return __distance(from, to, 0); }
template <class I> I next(I at, long n = 1)
{
    for (long i = 0; i < n; ++i)
        ++at;
    return at;
}
template <class I> I prev(I at, long n = 1)
{
    for (long i = 0; i < n; ++i)
        --at;
    return at;
}
template <class I> void advance(I &at, long n)
{
    for (long i = 0; i < n; ++i)
        ++at;
    for (long i = n; i < 0; ++i)
        --at;
}
template <class I> struct reverse_iterator {
    typedef typename iterator_traits<I>::value_type value_type;
    I at;
    explicit reverse_iterator(I i) : at(i) {}
    I base() const { return at; }
    decltype(*__value<I>()) operator*() const
    {
        I before = at;
        --before;
        return *before;
    }
    auto operator->() const { return &**this; }
    reverse_iterator &operator++()
    {
        --at;
        return *this;
    }
    reverse_iterator operator++(int)
    {
        reverse_iterator before = *this;
        --at;
        return before;
    }
    bool operator==(const reverse_iterator &o) const { return at == o.at; }
    bool operator!=(const reverse_iterator &o) const { return at != o.at; }
};

template <class T, size_t N> struct array {
    T elements[N];
    __both constexpr T &operator[](size_t i) { return elements[i]; }
    __both constexpr const T &operator[](size_t i) const { return elements[i]; }
    __both constexpr T &at(size_t i) { return elements[i]; }
    __both constexpr const T &at(size_t i) const { return elements[i]; }
    __both constexpr T *data() { return elements; }
    __both constexpr const T *data() const { return elements; }
    __both constexpr size_t size() const { return N; }
    __both constexpr bool empty() const { return N == 0; }
    __both constexpr T &front() { return elements[0]; }
    __both constexpr const T &front() const { return elements[0]; }
    __both constexpr T &back() { return elements[N - 1]; }
    __both constexpr const T &back() const { return elements[N - 1]; }
    __both void fill(const T &value)
    {
        T held = value;
        for (size_t i = 0; i < N; ++i)
            elements[i] = held;
    }
    __both constexpr T *begin() { return elements; }
    __both constexpr T *end() { return elements + N; }
    __both constexpr const T *begin() const { return elements; }
    __both constexpr const T *end() const { return elements + N; }
    __both constexpr const T *cbegin() const { return elements; }
    __both constexpr const T *cend() const { return elements + N; }
};

template <class T, size_t N> __both bool operator==(const array<T, N> &a, const array<T, N> &b)
{
    for (size_t i = 0; i < N; ++i)
        if (!(a[i] == b[i]))
            return false;
    return true;
}
template <class T, size_t N> __both bool operator<(const array<T, N> &a, const array<T, N> &b)
{
    for (size_t i = 0; i < N; ++i)
        if (a[i] < b[i] || b[i] < a[i])
            return a[i] < b[i];
    return false;
}
template <class T, size_t N> __both bool operator!=(const array<T, N> &a, const array<T, N> &b) { return !(a == b); }

template <class T, size_t N> __both constexpr T *begin(T (&a)[N]) { return a; }
template <class T, size_t N> __both constexpr T *end(T (&a)[N]) { return a + N; }
template <class T, size_t N> __both constexpr size_t size(const T (&)[N]) { return N; }
template <class C> __both constexpr auto begin(C &c) { return c.begin(); }
template <class C> __both constexpr auto end(C &c) { return c.end(); }
template <class C> __both constexpr auto size(const C &c) { return c.size(); }

template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <bool C, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <class T, T... V> struct integer_sequence {
    __both static constexpr size_t size() { return sizeof...(V); }
};
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t... V> using index_sequence = integer_sequence<size_t, V...>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <class A, class B> struct is_same : integral_constant<bool, __is_same(A, B)> {};
template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
template <class T> struct is_floating_point : integral_constant<bool, __is_floating_point(T)> {};
template <class T> constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <class T> constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_arithmetic : integral_constant<bool, __is_arithmetic(T)> {};
template <class T> constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <class T> struct is_signed : integral_constant<bool, __is_signed(T)> {};
template <class T> struct is_unsigned : integral_constant<bool, __is_unsigned(T)> {};
template <class T> struct is_enum : integral_constant<bool, __is_enum(T)> {};
template <class T> struct is_class : integral_constant<bool, __is_class(T)> {};
template <class T> struct is_pointer : integral_constant<bool, __is_pointer(T)> {};
template <class T> constexpr bool is_pointer_v = __is_pointer(T);
template <class T> struct is_const : integral_constant<bool, __is_const(T)> {};
template <class T> struct is_void : integral_constant<bool, __is_void(T)> {};
template <class T> constexpr bool is_void_v = __is_void(T);
template <class T> struct is_trivially_copyable : integral_constant<bool, __is_trivially_copyable(T)> {};
template <class T> constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class B, class D> struct is_base_of : integral_constant<bool, __is_base_of(B, D)> {};
template <class B, class D> constexpr bool is_base_of_v = __is_base_of(B, D);
template <class A, class B> struct is_convertible : integral_constant<bool, __is_convertible_to(A, B)> {};
template <class A, class B> constexpr bool is_convertible_v = __is_convertible_to(A, B);
template <class T> struct underlying_type {
    typedef __underlying_type(T) type;
};
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_const<T>::type;
template <class P, class T> using __other_pair = enable_if_t<
    !__is_same(typename remove_const<typename remove_reference<P>::type>::type, T) && __is_convertible_to(P, T)>;
template <class I> using __iterator_only = decltype(*__value<I &>());
// A list of what containers hold; of std::function, whose elements the list converts, there is none: they are arguments.
template <class T> struct __listed { typedef initializer_list<T> type; };
template <class T> using __list_of = typename __listed<T>::type;
template <class S> class function;
struct __no_list {
    __both constexpr size_t size() const { return 0; }
};
template <class S> struct __listed<function<S>> { typedef __no_list type; };
template <class K, class S> struct __listed<pair<K, function<S>>> { typedef __no_list type; };
// What such an argument is converted to where braces stand for it; nothing where a list will do.
class __no_entry {
    __no_entry(__no_entry *, __no_entry *);
};
template <class T> struct __entry_of { typedef __no_entry type; };
template <class K, class S> struct __entry_of<pair<K, function<S>>> { typedef pair<K, function<S>> type; };
template <class T> using __entry = typename __entry_of<T>::type;
template <class T, class... F>
using __all_stored = enable_if_t<!__is_same(__list_of<T>, initializer_list<T>) && (__is_convertible_to(F, T) && ...)>;
template <size_t I, class A, class B> __both constexpr auto &get(pair<A, B> &p)
{
    if constexpr (I == 0)
        return p.first;
    else
        return p.second;
}
template <size_t I, class A, class B> __both constexpr const auto &get(const pair<A, B> &p)
{
    if constexpr (I == 0)
        return p.first;
    else
        return p.second;
}
template <size_t I, class T, size_t N> __both constexpr T &get(array<T, N> &a) { return a.elements[I]; }
template <size_t I, class T, size_t N> __both constexpr const T &get(const array<T, N> &a) { return a.elements[I]; }
template <class T, class U> __both T exchange(T &place, U &&value)
{
    T held = move(place);
    place = forward<U>(value);
    return held;
}
template <class T> enable_if_t<!__is_trivially_copyable(T)> swap(T &a, T &b)
{
    T held = move(a);
    a = move(b);
    b = move(held);
}
template <class T> using decay_t = typename remove_const<typename remove_reference<T>::type>::type;

}  // namespace std
