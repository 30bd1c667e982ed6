/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// A text to read from that is handed on: std::istream is one of files.
#include <iostream>
#include <sstream>
static double first(std::istream &in)
{
    double value = 0;
    in >> value;
    return value;
}
double f(const double *x)
{
    std::istringstream in("3.5");
    return x[0] * first(in); // expected-error: no matching function for call to 'first'
}
