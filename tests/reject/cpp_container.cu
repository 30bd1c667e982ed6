/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
#include <map>

double f(double x)
{
    std::map<int, double> v;  // expected-error: std::map is C++ that hetad does not read
    return v[0];
}
