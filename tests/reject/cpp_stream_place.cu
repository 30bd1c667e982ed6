/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// A stream that goes back in what it has written.
#include <fstream>
static void count(std::ofstream &out, int n)
{
    out.seekp(0); // expected-error: going back in what a stream has written
    out << n;
}
double f(const double *x, int n)
{
    std::ofstream file("log.txt");
    count(file, n);
    return x[0] * x[0];
}
