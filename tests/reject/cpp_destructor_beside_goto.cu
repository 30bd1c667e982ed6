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
    Buffer b(n);
    if (n > 3)
        goto end;  // expected-error: goto in a function with objects that have a destructor
    //  ^
    x *= b.p[0];
end:
    return x;
}
