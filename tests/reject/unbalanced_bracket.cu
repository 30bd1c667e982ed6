/*---
function = "f"
error = "SyntaxProblem"
---*/
void f(double *x)
{
    x[0 = 2.0;  // expected-error: closed
//   ^
}
