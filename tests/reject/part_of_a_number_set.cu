/*---
function = "f"
wrt = ["x"]
help = "whole numbers"
---*/
// Half of a number is set to zero.
#include <string.h>

double f(double x)
{
    double a[2] = {x, x * x};
    memset(a, 0, 12);  // expected-error: memset of part of a number
//  ^
    return a[0] + a[1];
}
