/*---
function = "f"
error = "UnsupportedError"
help = "by hand"
---*/
#include <utility>

void f(double *y, double *x, int i)
{
    std::swap(y[i++], x[0]);  // expected-error: std::swap of what calls or assigns
//  ^
    y[0] = 2 * x[0];
}
