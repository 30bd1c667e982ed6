// What hetad reads in place of <functional>: operators as objects.
namespace std {

template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};

template <class T = void> struct plus {
    __both T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T = void> struct minus {
    __both T operator()(const T &a, const T &b) const { return a - b; }
};
template <class T = void> struct multiplies {
    __both T operator()(const T &a, const T &b) const { return a * b; }
};
template <class T = void> struct divides {
    __both T operator()(const T &a, const T &b) const { return a / b; }
};
template <class T = void> struct negate {
    __both T operator()(const T &a) const { return -a; }
};
template <class T = void> struct less {
    __both bool operator()(const T &a, const T &b) const { return a < b; }
};
template <class T = void> struct greater {
    __both bool operator()(const T &a, const T &b) const { return a > b; }
};
template <class T = void> struct less_equal {
    __both bool operator()(const T &a, const T &b) const { return a <= b; }
};
template <class T = void> struct greater_equal {
    __both bool operator()(const T &a, const T &b) const { return a >= b; }
};
template <class T = void> struct equal_to {
    __both bool operator()(const T &a, const T &b) const { return a == b; }
};
template <class T = void> struct not_equal_to {
    __both bool operator()(const T &a, const T &b) const { return a != b; }
};
template <class T = void> struct logical_and {
    __both bool operator()(const T &a, const T &b) const { return a && b; }
};
template <class T = void> struct logical_or {
    __both bool operator()(const T &a, const T &b) const { return a || b; }
};
template <> struct plus<void> {
    template <class A, class B> __both auto operator()(const A &a, const B &b) const { return a + b; }
};
template <> struct minus<void> {
    template <class A, class B> __both auto operator()(const A &a, const B &b) const { return a - b; }
};
template <> struct multiplies<void> {
    template <class A, class B> __both auto operator()(const A &a, const B &b) const { return a * b; }
};
template <> struct divides<void> {
    template <class A, class B> __both auto operator()(const A &a, const B &b) const { return a / b; }
};
template <> struct negate<void> {
    template <class A> __both auto operator()(const A &a) const { return -a; }
};
template <> struct less<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a < b; }
};
template <> struct greater<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a > b; }
};
template <> struct less_equal<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a <= b; }
};
template <> struct greater_equal<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a >= b; }
};
template <> struct equal_to<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a == b; }
};
template <> struct not_equal_to<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a != b; }
};
template <> struct logical_and<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a && b; }
};
template <> struct logical_or<void> {
    template <class A, class B> __both bool operator()(const A &a, const B &b) const { return a || b; }
};

}  // namespace std
