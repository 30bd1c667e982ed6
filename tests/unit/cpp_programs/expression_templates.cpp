template <class L, class R> struct Sum { const L &l; const R &r; double operator[](int i) const { return l[i] + r[i]; } };
template <class L> struct Scaled { const L &l; double s; double operator[](int i) const { return s * l[i]; } };
struct Vec {
    double d[3];
    double operator[](int i) const { return d[i]; }
    double &operator[](int i) { return d[i]; }
    template <class E> Vec &operator=(const E &e) { for (int i = 0; i < 3; ++i) d[i] = e[i]; return *this; }
};
template <class L, class R> Sum<L, R> operator+(const L &l, const R &r) { return {l, r}; }
template <class L> Scaled<L> operator*(double s, const L &l) { return {l, s}; }
double f(double a, int n)
{
    Vec u{{a, 2, 3}}, v{{4, a, 6}}, w{};
    w = u + v;
    const auto scaled = 2.0 * u;
    u[0] = 100;
    Vec x{};
    x = scaled + w;
    return w[0] + w[1] + x[0] + x[2];
}
