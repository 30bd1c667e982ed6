/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "make the class a template parameter"
---*/
struct Base {
    double v;
    virtual double get() const { return v; }
};

double f(const Base &b)
{
    return b.get();  // expected-error: a call of the virtual function 'get'
    //     ^
}
