// What hetad reads in place of <chrono>, where a program computes with times.
namespace std {

template <long N, long D = 1> struct ratio {
    static constexpr long num = N, den = D;
};
typedef ratio<1, 1000000000> nano;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000> milli;

namespace chrono {

constexpr long __divisor(long a, long b) { return b == 0 ? a : __divisor(b, a % b); }
template <class A, class B> struct __finer {  // of two periods, one that divides both
    typedef ratio<__divisor(A::num, B::num), A::den / __divisor(A::den, B::den) * B::den> type;
};

template <class R, class P = ratio<1>> class duration {
public:
    typedef R rep;
    typedef P period;

    constexpr duration() : ticks(0) {}
    template <class N, class = enable_if_t<is_arithmetic_v<N>>> constexpr explicit duration(const N &n) : ticks(R(n)) {}
    template <class S, class Q> constexpr duration(const duration<S, Q> &other) : ticks(__ticks(other)) {}
    constexpr R count() const { return ticks; }
    static constexpr duration zero() { return duration(0); }
    constexpr duration operator-() const { return duration(-ticks); }
    duration &operator+=(const duration &other)
    {
        ticks += other.ticks;
        return *this;
    }
    duration &operator-=(const duration &other)
    {
        ticks -= other.ticks;
        return *this;
    }
    duration &operator*=(const R &factor)
    {
        ticks *= factor;
        return *this;
    }
    duration &operator/=(const R &divisor)
    {
        ticks /= divisor;
        return *this;
    }

private:
    R ticks;

    template <class S, class Q> static constexpr R __ticks(const duration<S, Q> &other)
    {
        constexpr long up = Q::num * P::den, down = Q::den * P::num, both = __divisor(up, down);
        typedef decltype(R() * S() * 1l) wide;
        return R(wide(other.count()) * (up / both) / (down / both));
    }
};
typedef duration<long, nano> nanoseconds;
typedef duration<long, micro> microseconds;
typedef duration<long, milli> milliseconds;
typedef duration<long> seconds;
typedef duration<long, ratio<60>> minutes;
typedef duration<long, ratio<3600>> hours;

template <class To, class R, class P> constexpr To duration_cast(const duration<R, P> &d) { return To(d); }
template <class R, class P, class S, class Q>
using __both_of = duration<decltype(R() + S()), typename __finer<P, Q>::type>;
template <class R, class P, class S, class Q>
constexpr __both_of<R, P, S, Q> operator+(const duration<R, P> &a, const duration<S, Q> &b)
{
    typedef __both_of<R, P, S, Q> common;
    return common(common(a).count() + common(b).count());
}
template <class R, class P, class S, class Q>
constexpr __both_of<R, P, S, Q> operator-(const duration<R, P> &a, const duration<S, Q> &b)
{
    typedef __both_of<R, P, S, Q> common;
    return common(common(a).count() - common(b).count());
}
template <class R, class P, class N> constexpr auto operator*(const duration<R, P> &a, const N &n)
{
    typedef decltype(R() * N()) product;
    return duration<product, P>(product(a.count()) * n);
}
template <class R, class P, class N, class = enable_if_t<is_arithmetic_v<N>>>
constexpr auto operator/(const duration<R, P> &a, const N &n)
{
    typedef decltype(R() / N()) quotient;
    return duration<quotient, P>(quotient(a.count()) / n);
}
template <class R, class P, class S, class Q>
constexpr auto operator/(const duration<R, P> &a, const duration<S, Q> &b)
{
    typedef __both_of<R, P, S, Q> common;
    return common(a).count() / common(b).count();
}
template <class R, class P, class S, class Q>
constexpr bool operator<(const duration<R, P> &a, const duration<S, Q> &b)
{
    return (a - b).count() < 0;
}
template <class R, class P, class S, class Q>
constexpr bool operator>(const duration<R, P> &a, const duration<S, Q> &b)
{
    return b < a;
}

template <class C, class D = nanoseconds> class time_point {
public:
    typedef C clock;
    typedef D duration;

    constexpr time_point() : passed() {}
    constexpr explicit time_point(const D &d) : passed(d) {}
    constexpr D time_since_epoch() const { return passed; }

private:
    D passed;
};
template <class C, class D, class E> constexpr auto operator-(const time_point<C, D> &a, const time_point<C, E> &b)
{
    return a.time_since_epoch() - b.time_since_epoch();
}
template <class C, class D, class R, class P>
constexpr auto operator+(const time_point<C, D> &a, const duration<R, P> &b)
{
    return time_point<C, decltype(a.time_since_epoch() + b)>(a.time_since_epoch() + b);
}

template <int N> struct __clock {
    typedef nanoseconds duration;
    typedef chrono::time_point<__clock> time_point;
    static time_point now()
    {
        struct timespec time;
        clock_gettime(N, &time);
        return time_point(nanoseconds(time.tv_sec * 1000000000l + time.tv_nsec));
    }
};
typedef __clock<CLOCK_MONOTONIC> steady_clock;
typedef __clock<CLOCK_REALTIME> system_clock;
typedef system_clock high_resolution_clock;

}  // namespace chrono
}  // namespace std
