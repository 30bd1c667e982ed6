// What hetad reads in place of <variant>: room for each alternative, and the number of the one that it holds.
namespace std {

struct monostate {};
struct bad_variant_access {};
constexpr size_t variant_npos = (size_t)-1;
__both constexpr bool operator==(monostate, monostate) { return true; }

template <size_t I> struct __nth {
    static constexpr size_t number = I;
};
template <class... T> struct __rooms {};
template <class H, class... T> struct __rooms<H, T...> {
    __slot<H> head;
    __rooms<T...> rest;
};
template <size_t I, class H, class... T> __both auto &__room(__rooms<H, T...> &rooms)
{
    if constexpr (I == 0)
        return rooms.head;
    else
        return __room<I - 1>(rooms.rest);
}
template <size_t I, class H, class... T> __both const auto &__room(const __rooms<H, T...> &rooms)
{
    if constexpr (I == 0)
        return rooms.head;
    else
        return __room<I - 1>(rooms.rest);
}
// The number of a type among others; of one that is not among them, their number.
template <class A, class... T> __both constexpr size_t __number()
{
    constexpr bool same[] = {__is_same(A, T)..., true};
    size_t i = 0;
    while (!same[i])
        ++i;
    return i;
}
// Which alternative overloads choose for a value.
template <size_t I, class... T> struct __choosing {
    void choose();
};
template <size_t I, class H, class... T> struct __choosing<I, H, T...> : __choosing<I + 1, T...> {
    using __choosing<I + 1, T...>::choose;
    __nth<I> choose(H);
};
template <class V, class... T> using __chosen = decltype(__value<__choosing<0, T...> &>().choose(__value<V>()));

template <class... T> class variant;
template <class V> struct variant_size;
template <class... T> struct variant_size<variant<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class V> constexpr size_t variant_size_v = variant_size<V>::value;
template <size_t I, class V> struct variant_alternative;
template <size_t I, class... T> struct variant_alternative<I, variant<T...>> {
    typedef typename tuple_element<I, tuple<T...>>::type type;
};
template <size_t I, class V> using variant_alternative_t = typename variant_alternative<I, V>::type;
template <class V> struct __is_variant { static constexpr bool value = false; };
template <class... T> struct __is_variant<variant<T...>> { static constexpr bool value = true; };
template <class V, class... T>
using __alternative = enable_if_t<!__is_variant<decay_t<V>>::value, __chosen<V, T...>>;

template <class... T> class variant {
public:
    __both variant() : rooms(), number(0) { emplace<0>(); }
    template <class V, class C = __alternative<V, T...>> __both variant(V &&value) : rooms(), number(C::number)
    {
        emplace<C::number>(forward<V>(value));
    }
    template <class V, class C = __alternative<V, T...>> __both variant &operator=(V &&value)
    {
        if (number != C::number)
            __clear<0>();
        __room<C::number>(rooms).assign(forward<V>(value));
        number = C::number;
        return *this;
    }
    __both size_t index() const { return number; }
    __both bool valueless_by_exception() const { return false; }
    template <size_t I, class... Given> __both auto &emplace(Given &&...given)
    {
        if (number != I)
            __clear<0>();
        __room<I>(rooms).put(forward<Given>(given)...);
        number = I;
        return __room<I>(rooms).at();
    }
    template <class A, class... Given> __both A &emplace(Given &&...given)
    {
        return emplace<__number<A, T...>()>(forward<Given>(given)...);
    }
    template <size_t I> __both auto &__at() { return __room<I>(rooms).at(); }
    template <size_t I> __both const auto &__at() const { return __room<I>(rooms).at(); }

private:
    __rooms<T...> rooms;
    size_t number;

    template <size_t I> __both void __clear()
    {
        if (number == I)
            __room<I>(rooms).clear();
        else if constexpr (I + 1 < sizeof...(T))
            __clear<I + 1>();
    }
};

template <class A, class... T> __both bool holds_alternative(const variant<T...> &v)
{
    return v.index() == __number<A, T...>();
}
template <size_t I, class... T> variant_alternative_t<I, variant<T...>> &get(variant<T...> &v)
{
    if (v.index() != I)
        throw bad_variant_access();
    return v.template __at<I>();
}
template <size_t I, class... T> const variant_alternative_t<I, variant<T...>> &get(const variant<T...> &v)
{
    if (v.index() != I)
        throw bad_variant_access();
    return v.template __at<I>();
}
template <class A, class... T> A &get(variant<T...> &v) { return std::get<__number<A, T...>()>(v); }
template <class A, class... T> const A &get(const variant<T...> &v) { return std::get<__number<A, T...>()>(v); }
template <size_t I, class... T> __both variant_alternative_t<I, variant<T...>> *get_if(variant<T...> *v)
{
    return v->index() == I ? &v->template __at<I>() : nullptr;
}
template <size_t I, class... T> __both const variant_alternative_t<I, variant<T...>> *get_if(const variant<T...> *v)
{
    return v->index() == I ? &v->template __at<I>() : nullptr;
}
template <class A, class... T> __both A *get_if(variant<T...> *v) { return std::get_if<__number<A, T...>()>(v); }
template <class A, class... T> __both const A *get_if(const variant<T...> *v)
{
    return std::get_if<__number<A, T...>()>(v);
}

// What a function makes of the alternative that is held: of the last one where it is none before.
template <size_t I, class F, class V> __both decltype(auto) __visit(F &f, V &v)
{
    if constexpr (I + 1 == variant_size_v<remove_const_t<V>>) {
        return f(v.template __at<I>());
    } else {
        if (v.index() == I)
            return f(v.template __at<I>());
        return __visit<I + 1>(f, v);
    }
}
template <size_t I, class F, class V, class W> __both decltype(auto) __visit_both(F &f, V &v, W &w)
{
    auto with = [&](auto &held) -> decltype(auto) { return f(v.template __at<I>(), held); };
    if constexpr (I + 1 == variant_size_v<remove_const_t<V>>) {
        return __visit<0>(with, w);
    } else {
        if (v.index() == I)
            return __visit<0>(with, w);
        return __visit_both<I + 1>(f, v, w);
    }
}
template <class F, class V> __both decltype(auto) visit(F &&f, V &&v) { return __visit<0>(f, v); }
template <class F, class V, class W> __both decltype(auto) visit(F &&f, V &&v, W &&w) { return __visit_both<0>(f, v, w); }

}  // namespace std
