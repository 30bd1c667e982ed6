template <class F> double twice(F f, double v) { return f(f(v)); }
double f(double a, int n) { auto g = [&](auto v) { return v * 3 / 2; };
    return g(a) + g(5) + twice([n](double v) { return v + n; }, a) + [](double x) { return x * x; }(a); }
