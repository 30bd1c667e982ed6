// What C++ means on the host: tests/meaning/test_meaning.py compares with the machine's own C++ compiler.
#include <initializer_list>
#include <utility>

struct V {
    double x, y;
    V(double a, double b) : x(b), y(a) {
    }
    V(double a) : x(a), y(2*a) {
    }
    V() : x(7), y(11) {
    }
};

struct S {
    V c;
    double r;
};

struct T {
    S s;
    V w[2];
    double z = 5;
};

struct D {
    double a = 1, b = a * 2;
};

struct E : V {
    double e;
    E(double q) : V(q, 3), e(q) {
    }
    using V::V;
};

struct P {
    double u;
    operator double() const {
        return u * 3;
    }
};

struct Q {
    double u;
    Q(P p) : u(p.u + 1) {
    }
};

struct R {
    Q q;
    double t;
};

struct Agg {
    double a;
    int n;
    float f;
};

struct Narrow {
    float f;
    int i;
};

struct Outer {
    struct In {
        double k = 2;
    }
    in;
    double w;
};

static double h(S s) {
    return s.c.x * 2 + s.c.y * 3 + s.r;
}

static double hv(const V &v) {
    return v.x * 5 + v.y;
}

static S make(double t) {
    return {{t, 2}, t * t};
}

static V mv(double t) {
    return {t, 4};
}

static V conv(double t) {
    return t;
}

static double g1(double t) {
    S s = make(t);
    return h(s) + h({{t, 1}, 2}) + h({t, 3}) + hv(t) + hv({t, 2}) + mv(t).x + conv(t).y;
}

static double g4(double t) {
    E e(t);
    return e.x + 2 * e.y + 3 * e.e;
}

static double g5(double t) {
    P p{t};
    double v = p;
    R r{p, 1};
    return v + r.q.u * 2 + p + (p > 1 ? 1 : 0);
}

static double g6(double t) {
    Agg a{t, (int)(t * 10), (float)t};
    Narrow n{(float)(t / 3), 'a'};
    auto b = a;
    b.n /= 2;
    return a.a + a.n + b.n + n.f * 3 + n.i;
}

static double g7(double t) {
    Outer o{{}, t};
    Outer q{{t}, 1};
    Outer r{};
    return o.in.k + o.w + q.in.k * 3 + r.in.k + r.w;
}

static double g8(double t) {
    double m[2][3] = {{t, 1}, {2}};
    double k[4] = {t, t * 2};
    int c[] = {1, 2, 3};
    double s = 0;
    for (auto &row : m) for (auto v : row) s = s * 2 + v;
    for (double v : k) s += v * s;
    for (auto [i, j] = V(t, 2); i < 5; i += 1) s += j;
    return s + sizeof(c) / sizeof(c[0]) + sizeof m[0];
}

static double g9(double t) {
    const V vs[3] = {V(t), {t, 2}, 3.0};
    double s = 0;
    for (const V &v : vs) s += v.x * 2 + v.y;
    V w = vs[1];
    w.x += 1;
    std::swap(w.x, w.y);
    return s + w.x * 3 + w.y;
}

template <class A, class B> auto add(A a, B b) -> decltype(a + b) {
    return a + b;
}

static double g10(double t) {
    auto a = add(1, 2.5f) ;
    auto b = add('a', true);
    unsigned u = 3;
    auto c = u - 5;
    long long l = 1LL << 40;
    return a + b + c * 1e-9 + l * 1e-12 + (7 / 2) * t + -7 / 2 + -7 % 3 + (int)(-2.7 * t);
}

static int calls = 0;

static double count(double t) {
    ++calls;
    return t * calls;
}

static double g11(double t) {
    calls = 0;
    double a = count(t), b = count(t);
    bool x = a > 100 && count(t) > 0;
    double d = x ? count(t) : count(2 * t);
    return a + b + d + calls;
}

struct Acc {
    double s = 0;
    int n = 0;
    Acc &operator<<(double v) {
        s = s * 0.5 + v;
        ++n;
        return *this;
    }
    Acc operator+(const Acc &o) const {
        Acc r = *this;
        r.s += o.s;
        r.n += o.n;
        return r;
    }
    double operator()() const {
        return s + n;
    }
    bool operator<(const Acc &o) const {
        return s < o.s;
    }
    double operator[](int i) const {
        return s * i;
    }
    Acc &operator++() {
        s += 1;
        return *this;
    }
    Acc operator++(int) {
        Acc o = *this;
        s += 1;
        return o;
    }
    explicit operator bool() const {
        return n > 1;
    }
};

static double g12(double t) {
    Acc a, b;
    a << t << 2 * t << 3;
    b << 1;
    Acc c = a + b;
    Acc d = c++;
    ++c;
    double s = c() + d() * 2 + (a < b ? 1 : 2) + a[3];
    if (c) s += 5;
    if (!b) s += 7;
    return s;
}

namespace n1 {
    static double k(double t) {
        return t + 1;
    }
    namespace n2 {
        static double k(double t) {
            return n1::k(t) * 2;
        }
        struct K {
            static double k(double t) {
                return t * 5;
            }
            static constexpr double c = 2.5;
        };
    }
}

static double k(double t) {
    return t * 7;
}

static double g13(double t) {
    using n1::n2::K;
    return n1::k(t) + n1::n2::k(t) + K::k(t) + k(t) + K::c;
}

enum class En : unsigned char {
    a = 3, b, c = 9
};

enum Old {
    first = 2, second = first << 2
};

static double g14(double t) {
    En e = En::b;
    switch (e) {
        case En::a: return 1;
        case En::b: t *= 2;
        [[fallthrough]];
        case En::c: t += static_cast<int>(En::c);
    }
    return t + second + (e == En::b) + (int)e;
}

static double g15(double t) {
    int i = 0;
    double a[3] = {1, 2, 3};
    double s = a[i++] * t;
    s += a[i];
    s += i++;
    auto f = [i, s]() mutable {
        i += 3;
        s *= 2;
        return s + i;
    };
    double r = f();
    r += f();
    auto g = [&r, k = t * 2](double z) {
        r += k;
        return z * r;
    };
    double q = g(2);
    return s + r + q + i;
}

static double g16(double t) {
    const double *p = nullptr;
    double x[2] = {t, 2 * t};
    double &r = x[1];
    r += 1;
    p = &x[0];
    double *const q = x + 1;
    *q *= 3;
    return *p + p[1] + (p ? 1 : 0) + (q - p);
}

template <int N> constexpr int fact() {
    if constexpr (N <= 1) return 1;
    else return N * fact<N - 1>();
}

template <class... Ts> static double sum(Ts... ts) {
    return (0.0 + ... + ts);
}

template <class... Ts> static double weighted(double w, Ts... ts) {
    double s = 0;
    int i = 0;
    ((s += ts * w * ++i), ...);
    return s + sizeof...(ts);
}

static double g17(double t) {
    return fact<5>() + sum(t, 1, 2.5f) + weighted(t, 1.0, 2, 3.0) + sum();
}

static double half(double v, double w = 0.5, int n = 2) {
    return v * w + n;
}

static double g18(double t) {
    return half(t) + half(t, 2) + half(t, 3, 4);
}

static double m1(double t) {
    int i = 2;
    double s = t;
    auto f = [i, s]() mutable {
        i += 3;
        s *= 2;
        return s + i;
    };
    double r = f();
    r += f();
    return r + s + i;
}

static double m2(double t) {
    double r = t;
    auto g = [&r, k = t * 2](double z) {
        r += k;
        return z * r;
    };
    double q = g(2);
    q += g(3);
    return r + q;
}

static double m3(double t) {
    int i = 0;
    double a[3] = {1, 2, 3};
    double s = a[i++] * t;
    s += a[i];
    s += i++;
    return s + i;
}

static double m5(double t) {
    auto f = [](auto self, int n, double x) -> double {
        double s = 0;
        for (int i = 0; i < n; ++i) s += x * i;
        return s;
    };
    return f(0, 3, t);
}

static double m6(double t) {
    double a[4] = {t, 1, 2};
    double(&r)[4] = a;
    r[3] = 5;
    double *end = a + 4;
    double s = 0;
    for (double *p = a; p != end; ++p) s = s * 2 + *p;
    return s;
}

static double m7(double t) {
    V v;
    V w = V();
    V u{};
    V *p = &v;
    p->x += t;
    (*p).y -= t;
    return v.x + v.y * 2 + w.x + u.y;
}

static double m8(double t) {
    const auto sq = [](double v) {
        return v * v;
    };
    const auto twice = [&sq](double v) {
        return 2 * sq(v);
    };
    auto comp = [twice, sq](double v) {
        return twice(v) + sq(v + 1);
    };
    return comp(t);
}

static double m9(double t) {
    int n = 3;
    double s = 0;
    while (double v = n-- * t) {
        s += v;
        if (n < 1) break;
    }
    do {
        s *= 2;
    }
    while (s < 10);
    for (int i = 0, j = 5; i < j; ++i, --j) s += i * j;
    return s;
}

static double m10(double t) {
    unsigned char c = 250;
    c += 10;
    short h = (short)70000;
    bool b = 0.5;
    float f = 16777217;
    return c + h + b + f * 1e-7 + t + (1u - 2 > 0) + (-1 < 1u) + ('a' < 98) + sizeof(long) + (5 & 3) + (5 ^ 3) + (~5) + (1 << 3 >> 1);
}

static double m12(double t) {
    static const double c[] = {0.5, 1.5};
    static double kept = 2;
    constexpr int n = sizeof(c) / sizeof(*c);
    double s = kept;
    for (int i = 0; i < n; ++i) s += c[i] * t;
    return s;
}

template <class T> struct Opt {
    T v;
    bool has;
    Opt() : v(), has(false) {
    }
    Opt(T x) : v(x), has(true) {
    }
    T value_or(T o) const {
        return has ? v : o;
    }
    template <class F> auto map(F f) const -> Opt<decltype(f(v))> { if (!has) return {}; return f(v); }
};

static double m13(double t) {
    Opt<double> a(t), b;
    auto c = a.map([](double v) { return v * 2; });
    auto d = b.map([](double v) { return v > 0; });
    return a.value_or(5) + b.value_or(6) * 2 + c.value_or(1) + d.value_or(true);
}

struct Node {
    int l, r;
    double v;
};

static double m14(double t) {
    Node n[3] = {{1, 2, t}, {-1, -1, 2 * t}, {.l = -1, .r = -1, .v = 4}};
    double s = 0;
    int stack[4], top = 0;
    stack[top++] = 0;
    while (top) {
        const Node &x = n[stack[--top]];
        s = s * 3 + x.v;
        if (x.l >= 0) stack[top++] = x.l;
        if (x.r >= 0) stack[top++] = x.r;
    }
    return s;
}

struct It {
    const double *p;
    double operator*() const {
        return *p;
    }
    It &operator++() {
        p += 2;
        return *this;
    }
    bool operator!=(const It &o) const {
        return p < o.p;
    }
};

struct Even {
    const double *b;
    int n;
    It begin() const {
        return {b};
    }
    It end() const {
        return {b + n};
    }
};

static double m15(double t) {
    double a[5] = {t, 2, 3, 4, 5};
    double s = 0;
    for (double v : Even{a, 5}) {
        if (v == 3) continue;
        s = s * 2 + v;
    }
    for (auto v : {t, 2 * t}) s += v;
    for (const auto &[l, r, v] : {Node{1, 2, t}}) s += l * v + r;
    return s;
}

static void outp(double &a, double *b, const double &c, double (&d)[2]) {
    a += c;
    *b *= c;
    d[1] = a;
}

static double m16(double t) {
    double a = t, b = 2, d[2] = {1, 2};
    outp(a, &b, a + 1, d);
    outp(d[0], &d[1], d[1], d);
    return a + b * 2 + d[0] * 3 + d[1] * 4;
}

static double m17(double t) {
    double x = t;
    double *p = &x;
    double **pp = &p;
    double y = 3;
    **pp += 1;
    *pp = &y;
    *p += 2;
    return x + y * 10;
}

static double m18(double t) {
    int i = 5;
    i = i++ + 1;
    int j = i;
    j += j += 2;
    double z = (t > 0.5, t * 2);
    double w = t > 1 ? 1 : t > 0.6 ? 2.5 : 3;
    return i + j + z + w + (i > 3 ? i : j);
}

template <class T, int N> struct Held {
    int count;
    double sum(double t) const
    {
        T *one = new T[count], *two = new T[count + N](), *three = new T(t);
        for (int i = 0; i < count; ++i)
            one[i] = t * i;
        double s = *three;
        for (int i = 0; i < count + N; ++i)
            s += two[i] + (i < count ? one[i] : 0);
        delete[] one;
        delete[] two;
        delete three;
        return s;
    }
};
static double m19(double t) {
    Held<double, 3> held{5};
    return held.sum(t);
}

#include <algorithm>
#include <chrono>
#include <random>

static double g60(double t) {
    std::mt19937 gen(42);
    std::uniform_real_distribution<double> d(0.5, 2.0);
    std::uniform_real_distribution<float> f(-1.0f, 1.0f);
    double s = 0;
    for (int i = 0; i < 700; ++i)
        s += d(gen) * t + f(gen);
    return s;
}
static double g61(double t) {
    std::mt19937_64 gen(7);
    std::normal_distribution<double> d(0.5, 2.0);
    std::normal_distribution<float> f;
    double s = 0;
    for (int i = 0; i < 400; ++i)
        s += d(gen) * t + f(gen);
    return s;
}
static double g62(double t) {
    std::default_random_engine gen;
    std::minstd_rand other(17);
    std::uniform_real_distribution<> d;
    std::uniform_real_distribution<float> f(0.0f, 3.0f);
    std::exponential_distribution<double> e(1.5);
    std::bernoulli_distribution b(0.3);
    double s = 0;
    for (int i = 0; i < 50; ++i)
        s += d(gen) * t + f(other) + e(gen) + (b(other) ? t : 0.25);
    return s;
}
static double g63(double t) {
    std::mt19937 gen(3);
    std::mt19937_64 wide(5);
    std::minstd_rand small(9);
    std::uniform_int_distribution<int> d(-3, 11);
    std::uniform_int_distribution<> die(1, 6);
    std::uniform_int_distribution<size_t> any(0, 1000000007);
    std::uniform_int_distribution<unsigned> bits;
    double s = 0;
    for (int i = 0; i < 60; ++i)
        s += d(gen) * t + die(wide) + die(small) + any(gen) * 1e-9 + any(wide) * 1e-9 + bits(gen) * 1e-9;
    gen.discard(3);
    return s + gen() % 100 + wide() % 100 + small() % 100;
}
static double g64(double t) {
    std::mt19937 gen(11);
    int a[9], b[14], c[1] = {5};
    for (int i = 0; i < 9; ++i)
        a[i] = i;
    for (int i = 0; i < 14; ++i)
        b[i] = i;
    std::shuffle(a, a + 9, gen);
    std::shuffle(b, b + 14, gen);
    std::shuffle(c, c + 1, gen);
    std::shuffle(b, b + 14, std::mt19937(3));
    double s = c[0];
    for (int i = 0; i < 9; ++i)
        s = s * t + a[i];
    for (int i = 0; i < 14; ++i)
        s = s * t + b[i];
    return s;
}
static double g65(double t) {
    using namespace std::chrono;
    auto begin = steady_clock::now();
    auto end = high_resolution_clock::now();
    const milliseconds step(250);
    seconds whole = duration_cast<seconds>(step * 9);
    duration<double> real = step + microseconds(7);
    duration<double, std::milli> shown = real;
    minutes longer(2);
    double passed = 0;
    passed += duration<double>(steady_clock::now() - begin).count();
    (void)end;
    return t * whole.count() + real.count() + shown.count() + seconds(longer).count() + (real / step) + (step < real)
        + (passed >= 0 && passed < 100) + duration_cast<nanoseconds>(real).count() * 1e-9;
}

#include <cstring>
#include <string>

static double g66(double t) {
    std::string a = "step", b("two"), c(3, 'x'), d;
    d = a + "-" + b;
    d += c;
    d += '!';
    std::string e = d.substr(2, 6), f = std::to_string(42) + std::to_string(1.5) + std::to_string((size_t)7);
    double s = d.size() + 0.1 * d.find("two") + 0.01 * (d.find("none") == std::string::npos) + e.length();
    s += (a == "step") + 2 * (a != b) + 4 * (b < a) + 8 * d.empty() + std::stoi(std::string("19")) + std::stod("0.25");
    for (char letter : f)
        s = s * 0.5 + letter;
    if (a == "stop" || e[0] == 'q')
        return 0;
    std::string moved = std::move(d), copied(moved);
    copied[0] = 'S';
    return s * t + moved.c_str()[1] + copied.front() + std::strlen(copied.c_str());
}

#include <array>
#include <vector>

static double g67(double t) {
    double a[5] = {3, 1, 2, 5, 4}, b[5];
    std::vector<double> v(std::begin(a), std::end(a));
    std::copy(std::begin(v), std::end(v), std::begin(b));
    double s = 0;
    for (auto p = std::begin(b); p != std::end(b); ++p)
        s = s * t + *p;
    return s + std::size(a) + 10 * std::size(v);
}
