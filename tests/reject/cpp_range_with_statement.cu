/*---
function = "f"
frontend = "cpp"
error = "SyntaxProblem"
---*/
struct Chain {
    double v[2];
};

double f(double x)
{
    Chain c{{x, 2 * x}};
    double sum = 0;
    for (double e : c)  // expected-error: Clang: invalid range expression of type 'Chain'
    //            ^
        sum += e;
    return sum;
}
