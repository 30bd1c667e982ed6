/*---
function = "power"
error = "UnsupportedError"
help = "loop"
---*/
double power(double x, int n)
{
    return n == 0 ? 1.0 : x * power(x, n - 1);  // expected-error: recursion
//                            ^
}
