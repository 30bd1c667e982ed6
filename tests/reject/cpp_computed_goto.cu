/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double f(double x)
{
    double y = x * x;
    goto *(&&out);  // expected-error: a computed goto
//  ^
    y *= 2;
out:
    return y;
}
