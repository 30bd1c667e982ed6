/*---
function = "f"
error = "UnsupportedError"
help = "loop"
---*/
void f(double *x)
{
again:
    x[0] *= 0.5;
    if (x[0] > 1.0)
        goto again;  // expected-error @9: a goto that jumps back
}
