/*---
function = "f"
of = ["y"]
wrt = ["t", "u"]
reference = { t = "np.sum(adj_y * np.array([3 * 0 + 5, 7 + 11 * 2, 13 * 0 + 17 + 19 + 46, 29]))", u = "np.sum(adj_y * np.array([3, 0, 13, 0]))" }
[inputs]
y = { zeros = [4] }
t = 0.7
u = 1.3
---*/
// Values in braces that constructors convert, not member by member, and members with default values in inner lists.
struct Swapped {
    double x, y;
    Swapped(double a, double b) : x(b), y(a) {}
    Swapped(double a) : x(a), y(2 * a) {}
};
struct Whole {
    Swapped part;
    double rest;
};
struct Defaults {
    double x = 1, y = 2;
};
struct Outer {
    Defaults inner;
    double z;
};

void f(double *y, double t, double u)
{
    const Whole s{{t, u}, 0.5};
    Whole q{t, 1.0};
    Swapped both[2] = {{t, u}, t};
    Outer o{{t}, 1};
    y[0] = s.part.x * 3 + s.part.y * 5;
    y[1] = q.part.x * 7 + q.part.y * 11;
    y[2] = both[0].x * 13 + both[0].y * 17 + both[1].x * 19 + both[1].y * 23;
    y[3] = o.inner.x * 29 + o.inner.y * 31;
}
