// What hetad reads in place of <memory>: pointers that own what they point to.
namespace std {

template <class T> struct default_delete {
    void operator()(T *p) const { delete p; }
};
template <class T> struct default_delete<T[]> {
    void operator()(T *p) const { delete[] p; }
};

template <class T, class D = default_delete<T>> class unique_ptr {
public:
    typedef T *pointer;
    typedef T element_type;

    unique_ptr() : held(nullptr) {}
    unique_ptr(nullptr_t) : held(nullptr) {}
    explicit unique_ptr(T *p) : held(p) {}
    unique_ptr(T *p, const D &) : held(p) {}
    unique_ptr(unique_ptr &&other) : held(other.held) { other.held = nullptr; }
    template <class U, class E> unique_ptr(unique_ptr<U, E> &&other) : held(other.release()) {}
    unique_ptr(const unique_ptr &) = delete;
    ~unique_ptr() { __end(); }
    unique_ptr &operator=(unique_ptr &&other)
    {
        if (this != &other) {
            __end();
            held = other.held;
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
    T &operator*() const { return *held; }
    T *operator->() const { return held; }
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
    void swap(unique_ptr &other) { std::swap(held, other.held); }

private:
    T *held;

    void __end()
    {
        if (held != nullptr) {
            D end;
            end(held);
        }
    }
};

template <class T, class D> class unique_ptr<T[], D> {
public:
    typedef T *pointer;
    typedef T element_type;

    unique_ptr() : held(nullptr) {}
    unique_ptr(nullptr_t) : held(nullptr) {}
    explicit unique_ptr(T *p) : held(p) {}
    unique_ptr(T *p, const D &) : held(p) {}
    unique_ptr(unique_ptr &&other) : held(other.held) { other.held = nullptr; }
    template <class U, class E> unique_ptr(unique_ptr<U, E> &&other) : held(other.release()) {}
    unique_ptr(const unique_ptr &) = delete;
    ~unique_ptr() { __end(); }
    unique_ptr &operator=(unique_ptr &&other)
    {
        if (this != &other) {
            __end();
            held = other.held;
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
    T &operator[](size_t i) const { return held[i]; }
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
    void swap(unique_ptr &other) { std::swap(held, other.held); }

private:
    T *held;

    void __end()
    {
        if (held != nullptr) {
            D end;
            end(held);
        }
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
    return unique_ptr<T>(new T(given...));
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
