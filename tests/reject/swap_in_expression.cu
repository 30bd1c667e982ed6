/*---
function = "f"
error = "UnsupportedError"
help = "by hand"
---*/
#include <utility>

void f(double *y, double *x, int i)
{
    std::swap(y[i++], x[0]);  // expected-error: std::swap other than as a statement
//  ^
    y[0] = 2 * x[0];
}
