// What hetad reads in place of <memory>: pointers that own what they point to, alone or with others.
namespace std {

template <class T> struct default_delete {
    void operator()(T *p) const { delete p; }
};
template <class T> struct default_delete<T[]> {
    void operator()(T *p) const { delete[] p; }
};
template <class T> struct __pointed {
    typedef T type;
    typedef T &place;
};
template <class T> struct __pointed<T[]> : __pointed<T> {};
template <> struct __pointed<void> {
    typedef void type;
    typedef void place;
};

template <class P, class D = default_delete<P>> class unique_ptr {
public:
    typedef typename __pointed<P>::type element_type;
    typedef element_type T;
    typedef T *pointer;
    typedef D deleter_type;

    unique_ptr() : held(nullptr), end() {}
    unique_ptr(nullptr_t) : held(nullptr), end() {}
    unique_ptr(nullptr_t, const D &d) : held(nullptr), end(d) {}
    explicit unique_ptr(T *p) : held(p), end() {}
    unique_ptr(T *p, const D &d) : held(p), end(d) {}
    unique_ptr(unique_ptr &&other) : held(other.held), end(other.end) { other.held = nullptr; }
    template <class Q, class E> unique_ptr(unique_ptr<Q, E> &&other) : held(other.release()), end() {}
    unique_ptr(const unique_ptr &) = delete;
    ~unique_ptr() { __end(); }
    unique_ptr &operator=(unique_ptr &&other)
    {
        if (this != &other) {
            __end();
            held = other.held;
            end = other.end;
            other.held = nullptr;
        }
        return *this;
    }
    unique_ptr &operator=(nullptr_t)
    {
        __end();
        held = nullptr;
        return *this;
    }
    unique_ptr &operator=(const unique_ptr &) = delete;
    T *get() const { return held; }
    D &get_deleter() { return end; }
    const D &get_deleter() const { return end; }
    typename __pointed<P>::place operator*() const { return *held; }
    T *operator->() const { return held; }
    typename __pointed<P>::place operator[](size_t i) const { return held[i]; }
    explicit operator bool() const { return held != nullptr; }
    T *release()
    {
        T *p = held;
        held = nullptr;
        return p;
    }
    void reset(T *p = nullptr)
    {
        __end();
        held = p;
    }
    void swap(unique_ptr &other)
    {
        std::swap(held, other.held);
        std::swap(end, other.end);
    }

private:
    T *held;
    D end;

    void __end()
    {
        if (held != nullptr)
            end(held);
    }
};

template <class T> struct __made {
    typedef unique_ptr<T> one;
};
template <class T> struct __made<T[]> {
    typedef unique_ptr<T[]> many;
};
template <class T, class... Given> typename __made<T>::one make_unique(Given &&...given)
{
    return unique_ptr<T>(new T(forward<Given>(given)...));
}
template <class T> typename __made<T>::many make_unique(size_t n)
{
    typedef typename unique_ptr<T>::element_type Element;
    return unique_ptr<T>(new Element[n]());
}
template <class T, class D> bool operator==(const unique_ptr<T, D> &p, nullptr_t) { return p.get() == nullptr; }
template <class T, class D> bool operator!=(const unique_ptr<T, D> &p, nullptr_t) { return p.get() != nullptr; }
template <class T, class D> void swap(unique_ptr<T, D> &a, unique_ptr<T, D> &b) { a.swap(b); }

}  // namespace std
