// Pointers to functions that are kept, compared and called; pointers that are members.
typedef double (*Law)(double, const double *);
static double linear(double v, const double *p) { return v * p[0]; }
static double square(double v, const double *p) { return v * v * p[1]; }
static double wave(double v, const double *) { return sin(v); }
static double apply(Law law, double v, const double *p) { return law ? law(v, p) : -1; }
static double other(double v) { return 3 * v; }

static double g1(double t)
{
    Law list[4] = {linear, square, wave, nullptr};
    double p[2] = {t, 3 * t}, sum = 0;
    for (Law law : list)
        sum += apply(law, t, p);
    int k = (int)(t * 4) % 3;
    Law h = k == 1 ? linear : wave, q;
    q = k == 2 ? square : linear;
    return sum + h(t, p) * q(t, p) + (h == q) + 2 * (h == list[2]) + 4 * !list[3];
}

struct Pair {
    Law first = wave;
    double (*second)(double) = nullptr;
    int n = 2;
};
static Law chosen(int i) { return i ? linear : square; }

static double g2(double t)
{
    Pair pair, copy;
    double p[2] = {t, 2.0};
    copy.first = chosen(t > 0.8);
    copy.second = &other;
    Pair all[2] = {pair, copy};
    double sum = 0;
    for (const Pair &one : all) {
        sum += one.first(t, p) * one.n;
        if (one.second != nullptr)
            sum += one.second(t) + (*one.second)(2 * t);
    }
    Law *behind = &all[1].first;
    Law made = chosen(0);
    return sum + (*behind)(t, p) + made(t, p) + sizeof(Pair);
}

static double g3(double t)
{
    Law law = linear;
    double p[2] = {0.5, 2.0}, sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += law(t, p);
        law = law == linear ? square : law == square ? wave : nullptr;
        if (!law)
            break;
    }
    return sum;
}

// Members that are given `()`, pointers among them, whatever their default value is.
struct Parts {
    double v[3];
    int n;
};
template <class T> struct Held {
    T *at = nullptr;
    T *next;
    int n = 4;
    double d = 7;
    Parts parts;
    Held() : at(), next(), n(), d(), parts() {}
    Held(T *p) : at(p), next(), n() {}
};

static double g4(double t)
{
    Held<double> none, one(&t);
    none.at = &t;
    return *none.at + none.n + none.d + none.parts.v[1] + (none.next == nullptr) + *one.at * one.d + one.n + !one.next;
}
