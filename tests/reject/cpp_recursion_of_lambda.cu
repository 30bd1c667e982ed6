/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
template <class F> double apply(F f, double x, int n) { return n == 0 ? x : f(f, x, n - 1); }

double f(double x)
{
    auto g = [](auto self, double v, int n) -> double {
        return n == 0 ? v : 2 * self(self, v, n - 1);  // expected-error: recursion
    };
    return apply(g, x, 3);
}
