struct V {
    double x, y;
    double u[4];
    double get() const { return x; }
    float rounded() const { return x; }
    int whole(int k) const { return x * k; }
    double &at(int i) { return u[i]; }
    const double &at(int i) const { return u[i]; }
    double &next(int i) { return at(i + 1); }
    bool big() const { return x > 1; }
    void scale(const double &s) { x *= s; y *= s; u[0] *= s; }
    double bump() { x += 1; return x; }
    int index(unsigned char c) const { return c; }
    double self(int x) const { return this->x * x; }
};
static double keep(const double &r, V &v) { v.x += 5; return r; }
static double sum(const double &a, double b) { return a + b; }
double f(double a, int n)
{
    V v{a, 2, {1, 2, 3, 4}};
    const V &c = v;
    v.scale(v.get());
    double r = v.x + 10 * v.y;
    r += keep(v.get(), v);
    const double &held = v.get();
    v.x = 7;
    r += held + v.rounded() / 3 + v.whole(3) + v.big();
    int i = 1;
    v.at(i) += 2;
    v.next(i) = v.at(i++) + 1;
    double &e = v.at(i);
    i = 0;
    e *= 3;
    double list[3] = {v.get(), v.bump(), v.get()};
    double old = v.get();
    v.bump();
    r += old + sum(v.get(), v.x) + c.at(3) * v.index(300) + v.self(n);
    while (v.get() < 20)
        v.bump();
    return r + v.u[0] + v.u[1] + 10 * v.u[2] + 100 * list[0] + 1000 * list[1] + 3000 * list[2] + v.x;
}
