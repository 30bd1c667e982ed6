/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// An address that is written, which is another one in each run.
#include <iostream>
static void say(std::ostream &os, const double *p)
{
    os << "at " << p; // expected-error: writing the address in a pointer
}
double f(const double *x)
{
    say(std::cout, x);
    return x[0] * x[0];
}
