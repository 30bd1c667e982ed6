/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "write the name of the class before it"
---*/
#include <functional>

double f(double x, double w, int n)
{
    std::function<double(double)> g[2] = {[w](double v) { return w * v; }, nullptr};  // expected-error: a value in a list
//                                        ^
    return g[n](x);
}
