// The object of a method, or of `<<`, is there before its arguments; references that pointers to functions return.
struct Sum {
    int count;
    double total;
    Sum &put(double v)
    {
        total = total * 10 + v;
        ++count;
        return *this;
    }
    int size() const { return count; }
    int next() { return ++count; }
    Sum &operator<<(double v) { return put(v); }
    Sum &operator<<(Sum &(*does)(Sum &)) { return does(*this); }
    ~Sum() { total = -1; }
};
static Sum &twice(Sum &s) { return s.put(s.count).put(s.size()); }
double f(double a, int n)
{
    Sum s{0, 0}, t{n, a};
    s.put(s.count).put(s.count).put(s.size()).put(s.next());
    t << t.count << t.count << t.size() << t.next() << twice << t.count;
    int k = 1;
    t << k++ << k++ << k;
    return s.total * a + t.total;
}
