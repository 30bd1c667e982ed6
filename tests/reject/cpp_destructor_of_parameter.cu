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

__global__ void f(Buffer b, double *y)  // expected-error: an object with a destructor as a parameter of a kernel
//                       ^
{
    y[0] = b.p[0];
}
