/*---
function = "f"
error = "UnsupportedError"
help = "__float_as_int"
---*/
union cell {
    double value;
    unsigned char bytes[8]; // expected-error @19: a union with a member of type
};

void f(double *x)
{
    union cell c;
    c.value = x[0];
    x[0] = c.bytes[1];
}
