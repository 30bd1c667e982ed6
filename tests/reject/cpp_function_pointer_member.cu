/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double twice(double x) { return 2 * x; }

struct Callback {
    double (*call)(double);  // expected-error: function pointers
    //       ^
    double factor;
};

double f(double x)
{
    Callback c{twice, x};
    return c.call(x) * c.factor;
}
