/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Own {
    double v;
    Own(double a) : v(a) {}
    Own(const Own &o) : v(o.v + 1) {}
};
struct Pair {
    Own a;
    double b;
};

double f(double x)
{
    Pair p{Own(x), 2}, q{Own(x), 3};
    q = p;  // expected-error: which is only constructed so
//  ^
    return q.a.v;
}
