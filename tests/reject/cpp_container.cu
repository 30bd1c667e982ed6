/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
#include <map>

double f(double x)
{
    std::map<int, double> v;  // expected-error: Clang: no member named 'map' in namespace 'std'
    return v[0];
}
