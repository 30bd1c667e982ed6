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

double f(double x)
{
    static Buffer b(3);  // expected-error: an object with a destructor that lives as long as the program
    //            ^
    return x * b.p[0];
}
