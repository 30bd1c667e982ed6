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

double f(double x, int n)
{
    switch (n) {
    case 0:
        return x;
    default:
        Buffer b(n);  // expected-error: an object with a destructor in a case
        //     ^
        x *= b.p[0];
        break;
    }
    return x;
}
