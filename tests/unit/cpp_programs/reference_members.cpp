struct Log { double &sum; int *count; Log(double &s, int &c) : sum(s), count(&c) {} void add(double v) { sum += v; ++*count; } };
struct Pair { const double &a; double b; };
static double use(const Pair &p) { return p.a * p.b; }
static void twice(Log log, double v) { log.add(v); log.add(v); }
double f(double a, int n)
{
    double s = a;
    int c = 0;
    Log log(s, c), other = log;
    log.add(2);
    other.add(3);
    twice(log, 0.5);
    double x = 4;
    Pair p{x, 2};
    x = 5;
    double &r = s, *q = &r;
    *q += 1;
    r *= 2;
    return s + c * 100 + use(p) + use({a, 3});
}
