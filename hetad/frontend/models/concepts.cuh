// What hetad reads in place of <concepts>.
namespace std {

template <class A, class B> concept same_as = __is_same(A, B) && __is_same(B, A);
template <class D, class B>
concept derived_from = __is_base_of(B, D) && __is_convertible_to(const volatile D *, const volatile B *);
template <class A, class B> concept convertible_to = __is_convertible_to(A, B) && requires(A (&f)()) { static_cast<B>(f()); };
template <class T> concept integral = __is_integral(T);
template <class T> concept signed_integral = integral<T> && __is_signed(T);
template <class T> concept unsigned_integral = integral<T> && !signed_integral<T>;
template <class T> concept floating_point = __is_floating_point(T);
template <class T> concept destructible = requires(T &x) { x.~T(); };
template <class T, class... A> concept constructible_from = destructible<T> && __is_constructible(T, A...);
template <class T> concept default_initializable = constructible_from<T> && requires { T{}; };
template <class T> concept move_constructible = constructible_from<T, T> && convertible_to<T, T>;
template <class T>
concept copy_constructible = move_constructible<T> && constructible_from<T, T &> && constructible_from<T, const T &>;
template <class L, class R> concept assignable_from = __is_lvalue_reference(L) && __is_assignable(L, R);
template <class T> concept movable = move_constructible<T> && assignable_from<T &, T>;
template <class T> concept copyable = copy_constructible<T> && movable<T> && assignable_from<T &, const T &>;
template <class T> concept equality_comparable = requires(const T &a, const T &b) {
    { a == b } -> convertible_to<bool>;
    { a != b } -> convertible_to<bool>;
};
template <class T> concept totally_ordered = equality_comparable<T> && requires(const T &a, const T &b) {
    { a < b } -> convertible_to<bool>;
    { a > b } -> convertible_to<bool>;
    { a <= b } -> convertible_to<bool>;
    { a >= b } -> convertible_to<bool>;
};
template <class F, class... A> concept invocable = requires(F &&f, A &&...a) { static_cast<F &&>(f)(static_cast<A &&>(a)...); };
template <class F, class... A> concept regular_invocable = invocable<F, A...>;
template <class F, class... A> concept predicate = requires(F &&f, A &&...a) {
    { static_cast<F &&>(f)(static_cast<A &&>(a)...) } -> convertible_to<bool>;
};
template <class T> concept semiregular = copyable<T> && default_initializable<T>;
template <class T> concept regular = semiregular<T> && equality_comparable<T>;

}  // namespace std
