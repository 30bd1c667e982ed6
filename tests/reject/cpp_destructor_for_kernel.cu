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

__global__ void k(Buffer b, double *y)
{
    y[0] = b.p[0];
}

void f(double *y)
{
    k<<<1, 1>>>(Buffer(3), y);  // expected-error: an object with a destructor as an argument of a kernel
    //          ^
}
