/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
#include <forward_list>

double f(double x)
{
    std::forward_list<double> v;  // expected-error: std::forward_list is C++ that hetad does not read
    return v.empty() * x;
}
