// What hetad reads in place of <span>: elements that another one owns.
namespace std {

constexpr size_t dynamic_extent = (size_t)-1;

template <class T, size_t N = dynamic_extent> class span {
public:
    typedef T element_type;
    typedef remove_const_t<T> value_type;
    typedef size_t size_type;
    typedef T *pointer;
    typedef T &reference;
    typedef T *iterator;
    static constexpr size_t extent = N;

    __both constexpr span() : first_one(nullptr), count(0) {}
    __both constexpr span(T *p, size_t n) : first_one(p), count(n) {}
    __both constexpr span(T *from, T *to) : first_one(from), count(to - from) {}
    template <size_t M> __both constexpr span(T (&a)[M]) : first_one(a), count(M) {}
    template <class C, class = enable_if_t<__is_convertible_to(decltype(__value<C &>().data()), T *)>>
    __both constexpr span(C &&c) : first_one(c.data()), count(c.size())
    {
    }
    __both constexpr T &operator[](size_t i) const { return first_one[i]; }
    __both constexpr T *data() const { return first_one; }
    __both constexpr size_t size() const { return count; }
    __both constexpr size_t size_bytes() const { return count * sizeof(T); }
    __both constexpr bool empty() const { return count == 0; }
    __both constexpr T &front() const { return first_one[0]; }
    __both constexpr T &back() const { return first_one[count - 1]; }
    __both constexpr T *begin() const { return first_one; }
    __both constexpr T *end() const { return first_one + count; }
    __both constexpr span<T> first(size_t n) const { return span<T>(first_one, n); }
    __both constexpr span<T> last(size_t n) const { return span<T>(first_one + (count - n), n); }
    __both constexpr span<T> subspan(size_t from, size_t n = dynamic_extent) const
    {
        return span<T>(first_one + from, n == dynamic_extent ? count - from : n);
    }
    template <size_t M> __both constexpr span<T, M> first() const { return span<T, M>(first_one, M); }
    template <size_t M> __both constexpr span<T, M> last() const { return span<T, M>(first_one + (count - M), M); }
    template <size_t FROM, size_t M = dynamic_extent> __both constexpr span<T, M> subspan() const
    {
        return span<T, M>(first_one + FROM, M == dynamic_extent ? count - FROM : M);
    }

private:
    T *first_one;
    size_t count;
};
template <class T> span(T *, size_t) -> span<T>;
template <class T> span(T *, T *) -> span<T>;
template <class T, size_t M> span(T (&)[M]) -> span<T, M>;
template <class C> span(C &&c) -> span<remove_reference_t<decltype(*c.data())>>;

}  // namespace std
