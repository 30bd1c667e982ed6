/*---
function = "f"
error = "SyntaxProblem"
---*/
void f(const double *w)
{
    double weights[4];
    cudaMemcpyToSymbol(weights, w, sizeof(weights));  // expected-error: needs the name of a device variable
}
