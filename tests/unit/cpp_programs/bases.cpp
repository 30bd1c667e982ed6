struct A { double a; double get() const { return a; } A(double v) : a(v) {} };
struct B { double b = 3; double twice() { b *= 2; return b; } };
struct C : A, B { double c; C(double v) : A(v + 1), c(v) {} double get() const { return A::get() + c; } };
double by_base(const A &x) { return x.get(); }
double f(double a, int n) { C c(a); B *p = &c; p->b += 1; double t = c.twice(); A sliced = c;
    return c.get() + 10 * by_base(c) + 100 * t + sliced.a + c.b; }
