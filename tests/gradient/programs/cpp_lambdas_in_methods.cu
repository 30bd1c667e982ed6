/*---
function = "f"
wrt = ["x"]
[inputs]
x = 0.7
---*/
// Lambdas that capture `this`, listed or not, the object itself, and each other's captures.
class Model {
public:
    Model(double v, int n) : value(v), count(n) {}
    double add(double z) const { return z + count; }
    double get(double x) const
    {
        auto listed = [this, x](double y) { return value * y + x; };
        auto copied = [=](double y) { return value * y * add(x); };
        auto whole = [*this](double y) { return value * y + add(y); };
        auto nested = [&](double y) {
            auto inner = [&, x](double z) { return value * z * y + add(x); };
            return inner(x) + 1;
        };
        return listed(x) + 2 * copied(x) + 3 * whole(x) + 5 * nested(x);
    }
    void scale(double s)
    {
        auto once = [this, s] {
            value *= s;
            count += 1;
        };
        once();
        once();
    }

private:
    double value;
    int count;
};

double f(double x)
{
    Model m{x, 2};
    m.scale(x);
    return m.get(x) * x;
}
