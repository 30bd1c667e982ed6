// What hetad reads in place of std::shared_ptr and std::weak_ptr: what is pointed to, and how many own it and watch it.
namespace std {

struct bad_weak_ptr {};
template <class P> class weak_ptr;

template <class P> class shared_ptr {
public:
    typedef typename __pointed<P>::type element_type;
    typedef element_type T;

    shared_ptr() : held(nullptr), owners(nullptr), end() {}
    shared_ptr(nullptr_t) : held(nullptr), owners(nullptr), end() {}
    template <class U, class = enable_if_t<__is_convertible_to(U *, T *)>>
    explicit shared_ptr(U *p) : held(p), owners(__count()), end()
    {
    }
    template <class U, class D> shared_ptr(U *p, D d) : held(p), owners(__count()), end(d) {}
    shared_ptr(const shared_ptr &o) : held(o.held), owners(o.owners), end(o.end) { __join(); }
    shared_ptr(shared_ptr &&o) : held(o.held), owners(o.owners), end(o.end) { o.__forget(); }
    template <class Q, class = enable_if_t<__is_convertible_to(Q *, P *)>>
    shared_ptr(const shared_ptr<Q> &o) : held(o.get()), owners(o.__owners()), end()
    {
        o.__check_default();
        __join();
    }
    template <class Q, class D> shared_ptr(unique_ptr<Q, D> &&o) : held(o.get()), owners(nullptr), end()
    {
        if (held != nullptr) {
            owners = __count();
            if constexpr (!__is_same(D, default_delete<Q>))
                end = o.get_deleter();
            o.release();
        }
    }
    explicit shared_ptr(const weak_ptr<P> &w) : held(w.held), owners(w.owners), end(w.end)
    {
        if (w.expired())
            throw bad_weak_ptr();
        __join();
    }
    ~shared_ptr() { __leave(); }
    shared_ptr &operator=(const shared_ptr &o)
    {
        shared_ptr held_on(o);
        swap(held_on);
        return *this;
    }
    shared_ptr &operator=(shared_ptr &&o)
    {
        if (this != &o) {
            __leave();
            held = o.held;
            owners = o.owners;
            end = o.end;
            o.__forget();
        }
        return *this;
    }
    shared_ptr &operator=(nullptr_t)
    {
        reset();
        return *this;
    }
    T *get() const { return held; }
    typename __pointed<P>::place operator*() const { return *held; }
    T *operator->() const { return held; }
    typename __pointed<P>::place operator[](size_t i) const { return held[i]; }
    explicit operator bool() const { return held != nullptr; }
    long use_count() const
    {
        if (owners == nullptr)
            return 0;
        return owners[0];
    }
    bool unique() const { return use_count() == 1; }
    void reset()
    {
        __leave();
        __forget();
    }
    void reset(T *p)
    {
        __leave();
        held = p;
        owners = __count();
        end = nullptr;
    }
    template <class U, class D> void reset(U *p, D d)
    {
        shared_ptr other(p, d);
        swap(other);
    }
    void swap(shared_ptr &o)
    {
        std::swap(held, o.held);
        std::swap(owners, o.owners);
        end.swap(o.end);
    }
    long *__owners() const { return owners; }
    void __check_default() const
    {
        if (end)
            throw bad_function_call();  // what ends it takes a pointer of its own type
    }

private:
    T *held;
    long *owners;  // how many own it; how many watch it, and one for those that own it
    function<void(T *)> end;

    static long *__count()
    {
        long *made = (long *)malloc(2 * sizeof(long));
        made[0] = 1;
        made[1] = 1;
        return made;
    }
    void __forget()
    {
        held = nullptr;
        owners = nullptr;
        end = nullptr;
    }
    void __join()
    {
        if (owners != nullptr)
            ++owners[0];
    }
    void __leave()
    {
        if (owners == nullptr)
            return;
        --owners[0];
        if (owners[0] > 0)
            return;
        if (end) {
            end(held);
        } else {
            default_delete<P> plain;
            plain(held);
        }
        --owners[1];
        if (owners[1] == 0)
            free(owners);
    }
    friend class weak_ptr<P>;
};

template <class P> class weak_ptr {
public:
    typedef typename __pointed<P>::type T;

    weak_ptr() : held(nullptr), owners(nullptr), end() {}
    weak_ptr(const shared_ptr<P> &o) : held(o.held), owners(o.owners), end(o.end) { __watch(); }
    weak_ptr(const weak_ptr &o) : held(o.held), owners(o.owners), end(o.end) { __watch(); }
    ~weak_ptr() { __leave(); }
    weak_ptr &operator=(const weak_ptr &o)
    {
        if (this != &o) {
            __leave();
            held = o.held;
            owners = o.owners;
            end = o.end;
            __watch();
        }
        return *this;
    }
    weak_ptr &operator=(const shared_ptr<P> &o)
    {
        __leave();
        held = o.held;
        owners = o.owners;
        end = o.end;
        __watch();
        return *this;
    }
    long use_count() const
    {
        if (owners == nullptr)
            return 0;
        return owners[0];
    }
    bool expired() const { return use_count() == 0; }
    shared_ptr<P> lock() const
    {
        if (expired())
            return shared_ptr<P>();
        return shared_ptr<P>(*this);
    }
    void reset()
    {
        __leave();
        held = nullptr;
        owners = nullptr;
    }

private:
    T *held;
    long *owners;
    function<void(T *)> end;

    void __watch()
    {
        if (owners != nullptr)
            ++owners[1];
    }
    void __leave()
    {
        if (owners == nullptr)
            return;
        --owners[1];
        if (owners[1] == 0)
            free(owners);
    }
    friend class shared_ptr<P>;
};

template <class T> struct __shared_made {
    typedef shared_ptr<T> one;
};
template <class T> struct __shared_made<T[]> {
    typedef shared_ptr<T[]> many;
};
template <class T, class... Given> typename __shared_made<T>::one make_shared(Given &&...given)
{
    return shared_ptr<T>(new T(forward<Given>(given)...));
}
template <class T> typename __shared_made<T>::many make_shared(size_t n)
{
    typedef typename shared_ptr<T>::element_type Element;
    return shared_ptr<T>(new Element[n]());
}
template <class T, class U> bool operator==(const shared_ptr<T> &a, const shared_ptr<U> &b) { return a.get() == b.get(); }
template <class T, class U> bool operator!=(const shared_ptr<T> &a, const shared_ptr<U> &b) { return a.get() != b.get(); }
template <class T> bool operator==(const shared_ptr<T> &p, nullptr_t) { return p.get() == nullptr; }
template <class T> bool operator!=(const shared_ptr<T> &p, nullptr_t) { return p.get() != nullptr; }
template <class T> void swap(shared_ptr<T> &a, shared_ptr<T> &b) { a.swap(b); }

}  // namespace std
