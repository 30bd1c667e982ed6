/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// A stream on the buffer of another one.
#include <fstream>
#include <iostream>
double f(const double *x, int n)
{
    std::ofstream file("log.txt");
    std::ostream out(n > 1 ? std::cout.rdbuf() : file.rdbuf()); // expected-error: the buffer of a stream
    out << x[0] << std::endl;
    return x[0] * x[0];
}
