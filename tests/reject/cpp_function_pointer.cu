/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double twice(double x) { return 2 * x; }

double f(double x)
{
    double (*g)(double) = twice;  // expected-error: function pointers
    //       ^
    return g(x);
}
