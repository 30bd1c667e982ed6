namespace math {
template <class T> struct Dual {
    T re, im;
    Dual(T r = T(), T i = T()) : re(r), im(i) {}
    Dual operator*(const Dual &o) const { return Dual(re * o.re, re * o.im + im * o.re); }
    Dual operator+(const Dual &o) const { return {re + o.re, im + o.im}; }
    friend Dual operator-(const Dual &a, const Dual &b) { return {a.re - b.re, a.im - b.im}; }
    Dual &operator*=(const Dual &o) { return *this = *this * o; }
    bool operator<(T v) const { return re < v; }
};
template <class T> Dual<T> operator*(T s, const Dual<T> &d) { return {s * d.re, s * d.im}; }
template <class T> Dual<T> square(Dual<T> d) { d *= d; return d; }
double square(double d) { return d * d * 0.5; }
}  // namespace math
template <class T> T horner(const double *c, int n, T x)
{
    T r = T(c[n - 1]);
    for (int i = n - 2; i >= 0; --i)
        r = r * x + T(c[i]);
    return r;
}
double f(double a, int n)
{
    using D = math::Dual<double>;
    const double c[] = {1, 2, 3, 4};
    D y = horner(c, 4, D(a, 1));
    D z = square(y) - 2.0 * y;
    if (z < 1e3)
        z *= D(0.5);
    return y.re + y.im + z.re + z.im + math::square(a) + horner(c, 3, a) + horner(c, 2, 2.0f);
}
