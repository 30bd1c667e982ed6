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
    Pair p{x, 2};
    Pair q = p;  // expected-error: copied in a way of its own
    //       ^
    return q.a.v;
}
