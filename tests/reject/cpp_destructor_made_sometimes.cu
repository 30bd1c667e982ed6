/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Buffer {
    double *p;
    explicit Buffer(int n) : p(new double[n]) {}
    Buffer(const Buffer &o) : p(new double[1]) { p[0] = o.p[0]; }
    ~Buffer() { delete[] p; }
};

static double first(const Buffer &b) { return b.p[0]; }

double f(double x, int c)
{
    return c > 0 && first(Buffer(c)) > 0.0 ? x : 2 * x;  // expected-error: that is made only sometimes
    //              ^
}
