// What C++ means in templates, bases and functions that are passed.
#include <initializer_list>
#include <utility>

template <class T> struct V2 {
    T x, y;
    V2(T a, T b) : x(b), y(a) {}
    V2() : x(3), y(4) {}
    T dot(const V2 &o) const { return x * o.x + y * o.y; }
};
template <class T, int N> struct Box {
    T v[N]; int n = 2;
    double a(double t) {
        T w[N] = {};
        T u[] = {T(t), 2, 3};
        double s = sizeof(T) + sizeof(v) + sizeof(u) / sizeof(u[0]);
        for (T e : u) s += e * n;
        for (auto &e : w) { e += t; s += e; }
        return s;
    }
    double b(double t) {
        static const int table[3] = {1, 5, 7};
        static T kept = T(2);
        constexpr int m = N * 2;
        T z{};
        T q = T();
        auto l = [&](T k) { z += k * t; return z; };
        double r = l(2) + l(3);
        return r + q + table[1] + kept + m;
    }
    double c(double t) {
        V2<T> p{T(t), T(2)};
        V2<T> q(T(1), T(t));
        V2<T> o;
        auto r = V2<T>(q.y, p.x);
        auto [i, j] = r;
        return p.dot(q) * 3 + o.x + i * 5 + j * 7;
    }
    double d(double t) {
        T *p = &v[0];
        for (int k = 0; k < N; ++k) *p++ = T(t * k);
        unsigned char c = 'a';
        const char *s = "xyz";
        double r = 0;
        switch (N) { case 3: r = 1; case 4: r += 2; break; default: r = 9; }
        while (T x = v[n]) { r += x; if (--n < 0) break; }
        n = 2;
        return r + c + s[1];
    }
    template <class U> double e(U u) {
        if constexpr (sizeof(U) > 4) return u * 2 + sizeof(U);
        else return u * 3;
    }
};
template <class... Ts> struct Count {
    static constexpr int n = sizeof...(Ts);
    template <class F> static double each(F f, Ts... ts) {
        double s = 0;
        for (double v : {double(ts)...}) s = s * 2 + f(v);
        return s;
    }
};
static double g1(double t)
{
    Box<double, 3> b{};
    return b.a(t);
}
static double g2(double t)
{
    Box<double, 3> b{};
    return b.b(t) + b.b(t);
}
static double g3(double t)
{
    Box<double, 3> b{};
    return b.c(t);
}
static double g4(double t)
{
    Box<double, 3> b{};
    return b.d(t);
}
static double g5(double t)
{
    Box<float, 4> b{};
    return b.e(t) + b.e(2.0f) + b.e('c') + b.a(t) + b.d(t);
}
static double g6(double t)
{
    return Count<int, double, char>::each([=](double v) { return v * t; }, 1, 2.5, 'a') + Count<>::n + Count<int>::n;
}
template <class T> static T clampt(T v, T lo = T(0), T hi = T(1)) {
    return v < lo ? lo : hi < v ? hi : v;
}
static double g7(double t)
{
    return clampt(t * 3) + clampt(t, 0.9) + clampt<int>(7, 2, 5);
}
template <class T> struct Base { T k; T twice() const { return 2 * k; } };
struct D1 : Base<double> { double own; double all() const { return twice() + own + k; } };
static double g8(double t)
{
    D1 d;
    d.k = t;
    d.own = 3;
    Base<double> &b = d;
    b.k += 1;
    D1 e = d;
    e.k *= 2;
    Base<double> s = e;
    s.k += 5;
    return d.all() + e.all() * 3 + s.twice();
}
struct Empty {
    static double f(double v) { return v * 3; }
    double g(double v) const { return v + 1; }
};
struct Uses : Empty { double u; double h() const { return f(u) + g(u); } };
static double g9(double t)
{
    Uses x;
    x.u = t;
    const Empty &e = x;
    return x.h() + x.g(2) + e.g(t) + Uses::f(1);
}
template <class D> struct Ops {
    double twice() const { return 2 * static_cast<const D *>(this)->value(); }
    D plus(double v) const { D r = static_cast<const D &>(*this); r.set(r.value() + v); return r; }
    int tag = 4;
};
struct Num : Ops<Num> {
    double n;
    double value() const { return n + tag; }
    void set(double v) { n = v; }
};
static double g10(double t)
{
    Num a;
    a.n = t;
    Num b = a.plus(2);
    b.tag = 1;
    const Ops<Num> &o = b;
    return a.twice() + b.twice() * 3 + o.plus(1).n + o.tag;
}
static double apply(double (*f)(double, int), double v)
{
    double s = 0;
    for (int i = 0; i < 3; ++i) s += f(v, i);
    return s;
}
static double pw(double v, int n)
{
    double r = 1;
    while (n--) r *= v;
    return r;
}
static double ml(double v, int n)
{
    return v * n;
}
static double g11(double t)
{
    return apply(pw, t) + 2 * apply(&ml, t) + apply(pw, 2);
}
