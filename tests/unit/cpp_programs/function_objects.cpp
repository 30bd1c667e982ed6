struct Add { double k; double operator()(double a, double b) const { return a + b * k; } };
struct Counter { int n = 0; double operator()(double v) { ++n; return v * n; } };
template <class F> double fold(const double *p, int n, double start, F op) { for (int i = 0; i < n; ++i) start = op(start, p[i]); return start; }
template <class F, class G> auto compose(F f, G g) { return [=](double v) { return f(g(v)); }; }
template <class F> double apply(F &&f, double v) { return f(v) + f(v); }
double f(double a, int n)
{
    double u[4] = {a, 2, 3, 4};
    Counter c;
    auto h = compose([a](double v) { return v + a; }, [n](double v) { return v * n; });
    auto outer = [&u](int i) { auto inner = [i, &u](double w) { return u[i] * w; }; return inner(2) + inner(3); };
    return fold(u, 4, 1, Add{2}) + fold(u, 4, 0, [](double x, double y) { return x > y ? x : y; }) + apply(c, 2) + c.n + h(2) + outer(1) + apply(h, 1);
}
