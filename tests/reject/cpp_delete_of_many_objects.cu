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

double f(double x, Buffer *p)
{
    delete[] p;  // expected-error: 'delete[]' of objects with a destructor whose number
//  ^
    return x;
}
