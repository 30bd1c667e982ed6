// What hetad reads in place of <tuple>: one member, and the rest.
namespace std {

template <class... T> struct tuple;
template <class H> struct tuple<H> {
    H head;
    __both constexpr tuple() : head() {}
    __both constexpr tuple(H h) : head(static_cast<H &&>(h)) {}
    template <class U> __both constexpr tuple(const tuple<U> &o) : head(o.head) {}
    template <class U> __both tuple &operator=(const tuple<U> &o)
    {
        head = o.head;
        return *this;
    }
};
template <class H, class... T> struct tuple<H, T...> {
    H head;
    tuple<T...> rest;
    __both constexpr tuple() : head(), rest() {}
    __both constexpr tuple(H h, T... t) : head(static_cast<H &&>(h)), rest(static_cast<T &&>(t)...) {}
    template <class G, class... U> __both constexpr tuple(const tuple<G, U...> &o) : head(o.head), rest(o.rest) {}
    template <class... U> __both tuple &operator=(const tuple<U...> &o)
    {
        head = o.head;
        rest = o.rest;
        return *this;
    }
    template <class A, class B> __both tuple &operator=(const pair<A, B> &o)
    {
        head = o.first;
        rest.head = o.second;
        return *this;
    }
};

template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class T, size_t> using __sized = T;
template <class T> struct tuple_size<__sized<const T, sizeof(tuple_size<T>)>> : tuple_size<T> {};
template <size_t I, class T> struct tuple_element;
template <size_t I, class T> struct tuple_element<I, const T> {
    typedef const typename tuple_element<I, T>::type type;
};
template <class H, class... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <size_t I, class H, class... T> struct tuple_element<I, tuple<H, T...>> {
    typedef typename tuple_element<I - 1, tuple<T...>>::type type;
};
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;

template <size_t I, class H, class... T> __both constexpr tuple_element_t<I, tuple<H, T...>> &get(tuple<H, T...> &t)
{
    if constexpr (I == 0)
        return t.head;
    else
        return get<I - 1>(t.rest);
}
template <size_t I, class H, class... T>
__both constexpr const tuple_element_t<I, tuple<H, T...>> &get(const tuple<H, T...> &t)
{
    if constexpr (I == 0)
        return t.head;
    else
        return get<I - 1>(t.rest);
}
template <size_t I, class H, class... T> __both constexpr tuple_element_t<I, tuple<H, T...>> &&get(tuple<H, T...> &&t)
{
    return static_cast<tuple_element_t<I, tuple<H, T...>> &&>(get<I>(t));
}
template <class A, class B> __both constexpr bool operator==(const tuple<A> &a, const tuple<B> &b) { return a.head == b.head; }
template <class A, class B> __both constexpr bool operator<(const tuple<A> &a, const tuple<B> &b) { return a.head < b.head; }
template <class A, class C, class... S, class B, class D, class... T>
__both constexpr bool operator==(const tuple<A, C, S...> &a, const tuple<B, D, T...> &b)
{
    return a.head == b.head && a.rest == b.rest;
}
template <class A, class C, class... S, class B, class D, class... T>
__both constexpr bool operator<(const tuple<A, C, S...> &a, const tuple<B, D, T...> &b)
{
    return a.head < b.head || (!(b.head < a.head) && a.rest < b.rest);
}
template <class... A, class... B> __both constexpr bool operator!=(const tuple<A...> &a, const tuple<B...> &b)
{
    return !(a == b);
}
template <class... A, class... B> __both constexpr bool operator>(const tuple<A...> &a, const tuple<B...> &b) { return b < a; }

template <class... T> __both constexpr tuple<T...> make_tuple(T... t) { return tuple<T...>(static_cast<T &&>(t)...); }
template <class... T> __both constexpr tuple<T &...> tie(T &...t) { return tuple<T &...>(t...); }
template <class F, class T, size_t... I> __both constexpr auto __apply(F &f, T &t, index_sequence<I...>)
{
    return f(get<I>(t)...);
}
template <class F, class... T> __both constexpr auto apply(F f, tuple<T...> &t)
{
    return __apply(f, t, index_sequence_for<T...>());
}
template <class F, class... T> __both constexpr auto apply(F f, const tuple<T...> &t)
{
    return __apply(f, t, index_sequence_for<T...>());
}

}  // namespace std
