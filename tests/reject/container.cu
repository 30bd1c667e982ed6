/*---
function = "f"
frontend = "c"
error = "UnsupportedError"
---*/
#include <vector>

void f(double *y, const double *x, int n)
{
    std::vector<double> copy(x, x + n);  // expected-error: 'x' is handed to C++
//                           ^
    y[0] = 2 * x[0];
}
