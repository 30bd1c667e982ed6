struct S { double x; int copies; S(double v) : x(v), copies(0) {} S(const S &o) : x(o.x), copies(o.copies + 1) {}
           S &operator=(const S &o) { x = o.x + 100; return *this; } };
double use(S s) { return s.x + s.copies; }
double f(double a, int n) { S s(a); S t = s; double r = use(t); s = t; return r + s.x; }
