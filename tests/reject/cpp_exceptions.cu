/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
void f(double *x)
{
    if (x[0] < 0)
        throw 1;  // expected-error: exceptions
    //  ^
    x[0] *= 2;
}
