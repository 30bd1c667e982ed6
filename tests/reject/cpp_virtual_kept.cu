/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
// Whose part a member that is a pointer points to, only the run tells.
struct Law {
    double k;
    Law(double v) : k(v) {}
    virtual double of(double x) const { return k * x; }
};
struct Quadratic : Law {
    Quadratic(double v) : Law(v) {}
    double of(double x) const override { return k * x * x; }
};
struct Model {
    const Law *law;
    double value(double x) const
    {
        return law->of(x);  // expected-error: a call of the virtual function 'of'
        //     ^
    }
};

double f(double x)
{
    Quadratic q(x);
    Model m{&q};
    return m.value(2.0);
}
