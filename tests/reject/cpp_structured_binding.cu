/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Pair {
    double a, b;
};

double f(double x)
{
    Pair p{x, 2};
    auto [a, b] = p;  // expected-error: structured bindings
    //   ^
    return a * b;
}
