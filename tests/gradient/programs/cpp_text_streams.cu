/*---
function = "f"
wrt = ["x"]
[inputs]
x = { shape = [5], random = 1 }
n = 5
---*/
// Texts that streams build, where the program depends on them and where they say why it ends.
#include <memory>
#include <sstream>
#include <string>
#include <stdexcept>
#include <iostream>
static std::string label(int step, double dt)
{
    std::ostringstream os;
    os << "step_" << step << "_" << dt << '.' << 3u << true;
    return os.str();
}
[[noreturn]] void fail(const std::string &what) { throw std::runtime_error(what); }
double f(const double *x, int n)
{
    const std::string s = label(12, 0.25);
    std::cout << s << std::endl;
    if (n > 100) { std::stringstream ss; ss << "n = " << n; fail(ss.str()); }
    double t = 0;
    for (int i = 0; i < n; ++i) t += x[i] * x[i] * s.size();
    return s == "step_12_0.25.31" ? t : 0.0;
}
