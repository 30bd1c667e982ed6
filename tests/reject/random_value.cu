/*---
function = "f"
error = "UnsupportedError"
---*/
#include <random>

void f(double *y, const double *x)
{
    std::mt19937 engine(7);
    std::normal_distribution<double> noise(0.0, 1.0);
    y[0] = x[0] + noise(engine);  // expected-error: 'noise' (declared in line 10) is C++
//                ^
}
