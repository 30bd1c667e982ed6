/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
// A pointer that is kept leads to an object that new made here, and to a variable there.
struct Law {
    virtual double of(double x) const = 0;
};
struct Linear : Law {
    double k;
    Linear(double v) : k(v) {}
    double of(double x) const override { return k * x; }
};

double f(double x)
{
    Linear own(2.0);
    Law *laws[2];
    laws[0] = new Linear(x);
    laws[1] = &own; // expected-error: cannot convert
    return laws[0]->of(x) + laws[1]->of(x);
}
