/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Buffer {
    double v;
    Buffer(double a) : v(a) {}
    ~Buffer() { v = 0; }
};

void f(double *x)
{
    x[0] = Buffer(x[1]).v;  // expected-error: an object with a destructor
    //     ^
}
