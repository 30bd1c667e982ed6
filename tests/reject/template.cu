/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
help = 'frontend="cpp"'
---*/
template <typename T>
struct Pair { T first, second; };

void f(double *x)
{
    Pair<double> p;  // expected-error: 'Pair', a template, is C++
//  ^
    p.first = x[0];
    x[0] = p.first;
}
