/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "choose by 'if' or 'switch'"
---*/
double twice(double x) { return 2 * x; }
double square(double x) { return x * x; }

double f(double x, int which)
{
    double (*g)(double) = twice;
    if (which)
        g = square;
    return g(x);  // expected-error: a call of a function that only the run tells
    //     ^
}
