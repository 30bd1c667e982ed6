/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct P {
    double v;
    P() : v(3) {}
};

double f(double x, int n)
{
    P *p = new P[n++];  // expected-error: an array of objects whose length an expression makes
    //     ^
    return p[0].v * x;
}
