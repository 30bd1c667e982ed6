/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Base {  // expected-error @8: virtual functions
    double v;
    virtual double get() const { return v; }
};

double f(const Base &b)
{
    return b.get();
}
