/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "SyntaxProblem"
---*/
#include <stddef.h>

struct pair {
    int kind;
    double value;
};

void f(double *y, const double *x, int n)
{
    y[0] = x[0] * offsetof(struct pair, number);  // expected-error @41: 'pair' has no member 'number'
}
