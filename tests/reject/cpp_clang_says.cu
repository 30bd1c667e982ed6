/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
struct S {
    double v;
};

double f(double x)
{
    S s{x};
    return s.value;  // expected-error: Clang: no member named 'value' in 'S'
    //       ^
}
