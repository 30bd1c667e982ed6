/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "write the name of the class"
---*/
// A constructor that is chosen by a conversion, which libclang does not show.
struct Pair {
    double a, b;
    Pair(double x, int k) : a(x), b(k) {}
    Pair(int k, double x) : a(k), b(x) {}
};
struct Two {
    Pair first;
    double second;
};

double f(double x)
{
    Two t{{x, 2u}, x};  // expected-error @11: a value in a list that a constructor of 'Pair' converts
    return t.first.a + t.second;
}
