// Bit-fields: their promotions, signs, conversions and values as expressions.
enum Mode { A, B, C };
enum class Kind : unsigned char { P, Q = 3 };
struct Packed {
    unsigned char c;
    unsigned kind : 3;
    bool on : 1;
    Mode mode : 2;
    Kind k : 2;
    short between;
    long long big : 40;
    unsigned long long wide : 33;
    double t;
    unsigned all : 32;
};
struct Small {
    unsigned a : 3;
    int b : 4;
    unsigned c : 9;
};
struct alignas(8) Flags {
    unsigned shaded : 1;
    unsigned early : 1;
    unsigned samples : 6;
};
struct Options {
    char c;
    Flags f;
    unsigned a : 20;
    unsigned b : 20;
};

static int times_three(int a) { return a * 3; }
static Small &at(Small *s, int i) { return s[i]; }

static double g1(double t)
{
    Packed m{7, 5, true, C, Kind::Q, 4, -5, 1ull << 32, 3, 0xfffffffeu};
    double r = m.kind - 6;
    r += (m.kind - 6) / 2.0;
    m.on = 4;
    r += m.on * 10 + m.mode * 100 + (m.mode == C) * 1000 + (m.k == Kind::Q) * 0.25;
    r += m.big * 0.125 + (double)(m.wide >> 30) + (m.all > 5 ? 3 : 0);
    return t * t * r;
}

static double g2(double t)
{
    Packed m{};
    int a = (m.kind = 9);
    double r = a * 7 + ++m.kind * 11;
    r += m.kind-- * 13;
    m.kind = times_three(m.kind);
    r += m.kind;
    m.big = -3;
    Packed n = m;
    n.big >>= 1;
    r += n.big * 17 + sizeof(Packed) * 1000.0;
    m.kind = 6;
    m.kind <<= 1;
    auto w = m.kind;
    return t * (r + m.kind * 19 + (w - 7 > 0) * 31);
}

static double g3(double t)
{
    Small m[2] = {{1, 2, 3}};
    int i = 0, r = 0;
    m[1].a = m[0].c = m[i++].b = 300 + i;
    r += m[0].a + 10 * m[0].b + 100 * m[0].c + 1000 * m[1].a;
    at(m, 1).c += 500;
    at(m, i).c -= 3;
    r += m[1].c * 3 + (m[0].b -= 9) * 5;
    r += m[0].b++ * 7;
    r += (at(m, 0).b = -9) * 11;
    return t + r;
}

static double g4(double t)
{
    Small m[2] = {{5, -3, 500}, {}};
    int r = 0;
    m[1].b = m[0].b;
    m[1].a = times_three(m[0].a);
    m[1].c = m[0].c;
    const unsigned &copy = m[1].c;
    bool z = m[0].a;
    if (!m[0].a || m[1].a)
        r += 1;
    while (m[1].c)
        m[1].c >>= 1, r++;
    Small w = t > 0 ? m[0] : m[1];
    m[1] = w;
    m[0].a = ~m[1].a;
    m[0].a ^= 5;
    m[0].a |= 2;
    return t * (r + m[0].a + z + copy + m[1].b * 13);
}

static double g5(double t)
{
    Flags q{};
    q.early = 1;
    q.samples = 24;
    Flags some[3] = {{1, 0, 5}, q, {}};
    Options o{1, q, 1000000, 3};
    double s = 0;
    for (const auto &f : some)
        s += f.samples * 2 + f.early + f.shaded * t;
    for (unsigned i = 0; i < q.samples; i++)
        s += t;
    return s * o.f.samples + o.a + o.b + sizeof(Options) * 100;
}
