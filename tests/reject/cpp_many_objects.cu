/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct P {
    double v;
    P() : v(3) {}
};

double f(double x)
{
    P p[65];  // expected-error: an array of more than 64 objects that are constructed
    //^
    return p[2].v * x;
}
