/*---
function = "f"
wrt = ["x"]
of = ["x"]
---*/
// An active number, put into a union and taken out again.
union cell {
    double value;
    long bits;
};

void f(double *x)
{
    union cell c, d;
    c.value = x[0];
    d = c;
    x[0] = d.value;  // expected-error @12: bits that may be those of an active one
}
