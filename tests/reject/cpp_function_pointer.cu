/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
typedef double (*function)(double);

double twice(double x) { return 2 * x; }
double square(double x) { return x * x; }

double apply(function g, double x)  // expected-error: function pointers
//                    ^
{
    return g(x);
}

double f(double x, int which) { return apply(which ? twice : square, x); }
