/*---
function = "f"
error = "SyntaxProblem"
---*/
// Clang leaves out each use of a function whose head it cannot read, and says nothing of it there.
static double apply(const Law<double> &law, double x)  // expected-error: Clang: no template named 'Law'
//                        ^
{
    return law(x);
}

double f(double x)
{
    double y = x;
    y += apply(x, x);
    return y;
}
