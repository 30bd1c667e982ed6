struct V { double x; V operator+(const V &o) const { return {x + o.x}; } };
static V make(double v) { return V{v}; }
static int calls = 0;
static double count(double v) { ++calls; return v; }
double f(double a, int n)
{
    V u = n > 2 ? make(a) : V{7};
    V w = (n & 1 ? u : make(1)) + V{0.5};
    double *p = n > 2 ? &u.x : &w.x;
    *p += 10;
    (n > 100 ? u : w).x;
    bool both = count(a) > 0 && count(a - 5) > 0, either = count(-1) > 0 || count(1) > 0;
    int before = calls;
    calls = 0;
    return u.x + 100 * w.x + both + 2 * either + before * 1000 + (a > 0 ? n : 0.5);
}
