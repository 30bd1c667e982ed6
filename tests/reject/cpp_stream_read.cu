/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// A stream to read from that is handed on.
#include <iostream>
#include <sstream>
static double first(std::istream &in) // expected-error: std::istream
{
    double value = 0;
    in >> value;
    return value;
}
double f(const double *x)
{
    std::istringstream in("3.5");
    return x[0] * first(in);
}
