// What hetad reads in place of <optional>: a value, or none.
namespace std {

enum class nullopt_t { none };
constexpr nullopt_t nullopt = nullopt_t::none;
enum class in_place_t { here };
constexpr in_place_t in_place = in_place_t::here;
struct bad_optional_access {};

// Room for a value: the value itself where it can be without one and needs no end, else memory of its own.
template <class T, bool = __is_constructible(T) && __is_trivially_destructible(T)> struct __slot {
    T inside;
    bool full;
    __both constexpr __slot() : inside(), full(false) {}
    __both T &at() { return inside; }
    __both const T &at() const { return inside; }
    template <class... Given> __both void put(Given &&...given)
    {
        inside = T(forward<Given>(given)...);
        full = true;
    }
    template <class U> __both void assign(U &&value)
    {
        inside = forward<U>(value);
        full = true;
    }
    __both void clear() { full = false; }
};
template <class T> struct __slot<T, false> {
    T *apart;
    bool full;
    __slot() : apart(nullptr), full(false) {}
    __slot(const __slot &o) : apart(nullptr), full(false)
    {
        if (o.full)
            put(o.at());
    }
    __slot(__slot &&o) : apart(nullptr), full(false)
    {
        if (o.full)
            put(move(o.at()));
    }
    ~__slot() { clear(); }
    __slot &operator=(const __slot &o)
    {
        if (!o.full)
            clear();
        else if (this != &o)
            assign(o.at());
        return *this;
    }
    __slot &operator=(__slot &&o)
    {
        if (!o.full)
            clear();
        else if (this != &o)
            assign(move(o.at()));
        return *this;
    }
    T &at() { return *apart; }
    const T &at() const { return *apart; }
    template <class... Given> void put(Given &&...given)
    {
        clear();
        apart = new T(forward<Given>(given)...);
        full = true;
    }
    template <class U> void assign(U &&value)
    {
        if (full)
            *apart = forward<U>(value);
        else
            put(forward<U>(value));
    }
    void clear()
    {
        if (full)
            delete apart;
        apart = nullptr;
        full = false;
    }
};

template <class T> class optional;
template <class U> struct __is_optional { static constexpr bool value = false; };
template <class U> struct __is_optional<optional<U>> { static constexpr bool value = true; };
template <class T, class U>
using __value_of = enable_if_t<__is_constructible(T, U) && !__is_optional<decay_t<U>>::value
                               && !__is_same(decay_t<U>, in_place_t) && !__is_same(decay_t<U>, nullopt_t)>;
// What is assigned: a number of the type itself becomes an optional first, so that `{}` is none.
template <class T, class U>
using __assigned_to = enable_if_t<!(__is_scalar(T) && __is_same(T, decay_t<U>)), __value_of<T, U>>;

template <class T> class optional {
public:
    typedef T value_type;

    __both constexpr optional() : in() {}
    __both constexpr optional(nullopt_t) : in() {}
    template <class U = T, class = __value_of<T, U>> __both optional(U &&value) : in() { in.put(forward<U>(value)); }
    template <class... Given> __both explicit optional(in_place_t, Given &&...given) : in()
    {
        in.put(forward<Given>(given)...);
    }
    template <class U, class = enable_if_t<__is_constructible(T, const U &)>> __both optional(const optional<U> &o) : in()
    {
        if (o.has_value())
            in.put(*o);
    }
    __both optional &operator=(nullopt_t)
    {
        in.clear();
        return *this;
    }
    template <class U = T, class = __assigned_to<T, U>> __both optional &operator=(U &&value)
    {
        in.assign(forward<U>(value));
        return *this;
    }
    __both bool has_value() const { return in.full; }
    __both explicit operator bool() const { return in.full; }
    __both T &operator*() { return in.at(); }
    __both const T &operator*() const { return in.at(); }
    __both T *operator->() { return &in.at(); }
    __both const T *operator->() const { return &in.at(); }
    T &value()
    {
        if (!in.full)
            throw bad_optional_access();
        return in.at();
    }
    const T &value() const
    {
        if (!in.full)
            throw bad_optional_access();
        return in.at();
    }
    template <class U> __both T value_or(U &&other) const
    {
        if (in.full)
            return in.at();
        return static_cast<T>(forward<U>(other));
    }
    template <class... Given> __both T &emplace(Given &&...given)
    {
        in.put(forward<Given>(given)...);
        return in.at();
    }
    __both void reset() { in.clear(); }
    void swap(optional &o)
    {
        optional held = move(*this);
        *this = move(o);
        o = move(held);
    }

private:
    __slot<T> in;
};
template <class T> optional(T) -> optional<T>;

template <class T> __both optional<decay_t<T>> make_optional(T &&value) { return optional<decay_t<T>>(forward<T>(value)); }
template <class T> __both bool operator==(const optional<T> &a, nullopt_t) { return !a.has_value(); }
template <class T> __both bool operator!=(const optional<T> &a, nullopt_t) { return a.has_value(); }
template <class T> __both bool operator==(nullopt_t, const optional<T> &a) { return !a.has_value(); }
template <class T> __both bool operator!=(nullopt_t, const optional<T> &a) { return a.has_value(); }
template <class T> __both bool operator==(const optional<T> &a, const optional<T> &b)
{
    return a.has_value() == b.has_value() && (!a.has_value() || *a == *b);
}
template <class T> __both bool operator!=(const optional<T> &a, const optional<T> &b) { return !(a == b); }
template <class T> __both bool operator<(const optional<T> &a, const optional<T> &b)
{
    return b.has_value() && (!a.has_value() || *a < *b);
}
template <class T> __both bool operator>(const optional<T> &a, const optional<T> &b) { return b < a; }
template <class T, class U> __both bool operator==(const optional<T> &a, const U &b) { return a.has_value() && *a == b; }
template <class T, class U> __both bool operator!=(const optional<T> &a, const U &b) { return !a.has_value() || !(*a == b); }
template <class T, class U> __both bool operator<(const optional<T> &a, const U &b) { return !a.has_value() || *a < b; }
template <class T, class U> __both bool operator>(const optional<T> &a, const U &b) { return a.has_value() && b < *a; }

}  // namespace std
