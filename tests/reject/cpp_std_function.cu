/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "write a function, or a class"
---*/
// The objects that such a function may hold would hold each other.
#include <functional>

double f(double x, int n)
{
    std::function<double(int)> power = [&](int k) {
        return k > 0 ? x * power(k - 1) : 1.0;  // expected-error @28: a 'std::function<double (int)>' that holds what
    };
    return power(n);
}
