// What hetad reads in place of <complex>.
namespace std {

template <class T> struct complex {
    typedef T value_type;
    __both constexpr complex(T r = T(0), T i = T(0)) : re(r), im(i) {}
    template <class U> __both constexpr complex(const complex<U> &o) : re(o.real()), im(o.imag()) {}
    __both constexpr T real() const { return re; }
    __both constexpr T imag() const { return im; }
    __both void real(T value) { re = value; }
    __both void imag(T value) { im = value; }
    __both complex &operator=(T r)
    {
        re = r;
        im = T(0);
        return *this;
    }
    __both complex &operator+=(const complex &o)
    {
        re += o.re;
        im += o.im;
        return *this;
    }
    __both complex &operator-=(const complex &o)
    {
        re -= o.re;
        im -= o.im;
        return *this;
    }
    __both complex &operator*=(const complex &o)
    {
        T r = re * o.re - im * o.im;
        im = re * o.im + im * o.re;
        re = r;
        return *this;
    }
    __both complex &operator/=(const complex &o)
    {
        T size = o.re * o.re + o.im * o.im;
        T r = (re * o.re + im * o.im) / size;
        im = (im * o.re - re * o.im) / size;
        re = r;
        return *this;
    }
    __both complex &operator+=(T s)
    {
        re += s;
        return *this;
    }
    __both complex &operator-=(T s)
    {
        re -= s;
        return *this;
    }
    __both complex &operator*=(T s)
    {
        re *= s;
        im *= s;
        return *this;
    }
    __both complex &operator/=(T s)
    {
        re /= s;
        im /= s;
        return *this;
    }

private:
    T re, im;
};

template <class T> __both complex<T> operator+(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() + b.real(), a.imag() + b.imag());
}
template <class T> __both complex<T> operator-(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() - b.real(), a.imag() - b.imag());
}
template <class T> __both complex<T> operator*(const complex<T> &a, const complex<T> &b)
{
    return complex<T>(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}
template <class T> __both complex<T> operator/(const complex<T> &a, const complex<T> &b)
{
    T size = b.real() * b.real() + b.imag() * b.imag();
    T re = (a.real() * b.real() + a.imag() * b.imag()) / size;
    return complex<T>(re, (a.imag() * b.real() - a.real() * b.imag()) / size);
}
template <class T> __both complex<T> operator+(const complex<T> &a, const decay_t<T> &s)
{
    return complex<T>(a.real() + s, a.imag());
}
template <class T> __both complex<T> operator+(const decay_t<T> &s, const complex<T> &a)
{
    return complex<T>(a.real() + s, a.imag());
}
template <class T> __both complex<T> operator-(const complex<T> &a, const decay_t<T> &s)
{
    return complex<T>(a.real() - s, a.imag());
}
template <class T> __both complex<T> operator-(const decay_t<T> &s, const complex<T> &a)
{
    return complex<T>(s - a.real(), -a.imag());
}
template <class T> __both complex<T> operator*(const complex<T> &a, const decay_t<T> &s)
{
    return complex<T>(a.real() * s, a.imag() * s);
}
template <class T> __both complex<T> operator*(const decay_t<T> &s, const complex<T> &a)
{
    return complex<T>(a.real() * s, a.imag() * s);
}
template <class T> __both complex<T> operator/(const complex<T> &a, const decay_t<T> &s)
{
    return complex<T>(a.real() / s, a.imag() / s);
}
template <class T> __both complex<T> operator/(const decay_t<T> &s, const complex<T> &a)
{
    return complex<T>(s) / a;
}
template <class T> __both complex<T> operator-(const complex<T> &a) { return complex<T>(-a.real(), -a.imag()); }
template <class T> __both T real(const complex<T> &a) { return a.real(); }
template <class T> __both T imag(const complex<T> &a) { return a.imag(); }
template <class T> __both complex<T> conj(const complex<T> &a) { return complex<T>(a.real(), -a.imag()); }
template <class T> __both T norm(const complex<T> &a) { return a.real() * a.real() + a.imag() * a.imag(); }
template <class T> __both T abs(const complex<T> &a) { return hypot(a.real(), a.imag()); }
template <class T> __both T arg(const complex<T> &a) { return atan2(a.imag(), a.real()); }
template <class T> __both complex<T> polar(const T &size, const T &angle)
{
    return complex<T>(size * cos(angle), size * sin(angle));
}
template <class T> __both complex<T> exp(const complex<T> &a)
{
    T size = exp(a.real());
    return complex<T>(size * cos(a.imag()), size * sin(a.imag()));
}
template <class T> __both complex<T> log(const complex<T> &a) { return complex<T>(log(abs(a)), arg(a)); }
template <class T> __both complex<T> sqrt(const complex<T> &a)
{
    T size = sqrt(abs(a)), angle = arg(a) / T(2);
    return complex<T>(size * cos(angle), size * sin(angle));
}

}  // namespace std
