/*---
function = "f"
error = "SyntaxProblem"
---*/
void f(double *y, cudaEvent_t start, cudaEvent_t stop)
{
    double ms;
    cudaEventElapsedTime(&ms, start, stop);  // expected-error: needs the address of a 'float'
    y[0] = ms;
}
