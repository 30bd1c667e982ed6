// What hetad reads in place of std::function: which function it holds is a number, as of a pointer to one; the object
// that is called lies in it, in a room for each class of which the program stores an object there.
namespace std {

struct bad_function_call {};

template <class F, class R, class... A> R __call_stored(const function<R(A...)> &self, A... a)
{
    if constexpr (__is_void(R))
        self.template __room<F>()(forward<A>(a)...);
    else
        return self.template __room<F>()(forward<A>(a)...);
}
template <class R, class... A> class function<R(A...)> {
public:
    typedef R result_type;

    function() : __call(&__none) {}
    function(nullptr_t) : __call(&__none) {}
    template <class F, class = decltype(static_cast<R>(__value<F &>()(__value<A>()...)))>
    function(F f) : __call(&__call_stored<F, R, A...>) {}  // hetad makes it of the number and the object
    function &operator=(nullptr_t)
    {
        __call = &__none;
        return *this;
    }
    explicit operator bool() const { return __call != &__none; }
    R operator()(A... a) const
    {
        if constexpr (__is_void(R))
            __call(*this, forward<A>(a)...);
        else
            return __call(*this, forward<A>(a)...);
    }
    void swap(function &o)
    {
        function held = *this;
        *this = o;
        o = held;
    }
    template <class F> F &__room() const;  // the member that hetad gives it

private:
    R (*__call)(const function &, A...);

    static R __none(const function &, A...) { throw bad_function_call(); }
};

template <class S> bool operator==(const function<S> &f, nullptr_t) { return !f; }
template <class S> bool operator!=(const function<S> &f, nullptr_t) { return (bool)f; }
template <class S> bool operator==(nullptr_t, const function<S> &f) { return !f; }
template <class S> bool operator!=(nullptr_t, const function<S> &f) { return (bool)f; }

}  // namespace std
