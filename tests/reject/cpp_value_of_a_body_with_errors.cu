/*---
function = "f"
error = "SyntaxProblem"
---*/
// What this function returns its body alone tells.
static auto apply(double x) { return law(x); }  // expected-error: Clang: use of undeclared identifier 'law'
//                                   ^

double f(double x)
{
    double y = x;
    y += apply(x);
    return y;
}
