/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "capture a reference"
---*/
#include <functional>
#include <vector>

double f(double x, double w)
{
    std::vector<double> c(3, w);
    std::function<double(double)> g = [c](double v) { return c[0] * v; };  // expected-error: an object with a destructor
//                                    ^
    return g(x);
}
