/*---
function = "f"
error = "UnsupportedError"
help = "outermost block"
---*/
void f(double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] > 1.0)
            goto next;
        x[i] *= 0.5;
    next:;  // expected-error @5: the label 'next' inside another statement
    }
}
