/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct S {
    double v;
    double get(double x) const
    {
        auto g = [this](double y) { return v * y; };  // expected-error: in a lambda
        return g(x);
    }
};

double f(double x) { return S{x}.get(2); }
