/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "make it a variable"
---*/
struct Model {
    double v;
    virtual double get() const { return v; }
};

double f(double x)
{
    Model m;
    m.v = x;
    Model *copy = (Model *)malloc(sizeof(Model));  // expected-error: the size of a class with virtual functions
    //                            ^
    copy->v = m.v;
    double y = copy->v * m.get();
    free(copy);
    return y;
}
