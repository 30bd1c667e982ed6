/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
#include <vector>

double f(double x)
{
    std::vector<double> v(3, x);  // expected-error: Clang: no member named 'vector' in namespace 'std'
    return v[0];
}
