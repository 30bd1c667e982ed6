/*---
function = "f"
error = "UnsupportedError"
help = "__float_as_int"
---*/
union cell {
    double value;
    long bits;
};

void f(double *x)
{
    union cell c;  // expected-error: union
    c.value = x[0];
    x[0] = c.value;
}
