/*---
function = "f"
error = "UnsupportedError"
help = "loop"
---*/
void f(double *x)
{
again:  // expected-error @1: goto
    x[0] *= 0.5;
    if (x[0] > 1.0)
        goto again;
}
