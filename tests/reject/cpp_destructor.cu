/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Buffer {
    double *p;
    ~Buffer() { delete[] p; }
};

void f(double *x)
{
    Buffer b{new double[3]};  // expected-error: an object with a destructor
    //     ^
    x[0] = b.p[0];
}
