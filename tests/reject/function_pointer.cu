/*---
function = "apply"
error = "UnsupportedError"
---*/
void apply(double *x, double (*map)(double))  // expected-error: function pointer
{
    x[0] = map(x[0]);
}
