// Complex numbers as texts, and a text without a name.
#include <complex>
#include <iomanip>
#include <iostream>
#include <sstream>
static void say(std::ostream &os, std::complex<double> z)
{
    os << z << '|' << std::setw(20) << std::setprecision(3) << std::fixed << z << '|';
    os << std::complex<float>(1, 2.5f) << std::endl;
}
double f(double a, int n)
{
    say(std::cout, {a, 2});
    return (std::ostringstream() << a << n).str().size();
}
