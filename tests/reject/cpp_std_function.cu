/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "keep the lambda in 'auto'"
---*/
#include <functional>

double f(double x, double a)
{
    std::function<double(double)> g = [a](double v) { return a * v; };  // expected-error: std::function
//  ^
    return g(x);
}
