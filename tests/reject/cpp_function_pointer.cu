/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
typedef double (*function)(double);

double apply(function g, double x)  // expected-error: function pointers
//                    ^
{
    return g(x);
}

double twice(double x) { return 2 * x; }

double f(double x) { return apply(twice, x); }
