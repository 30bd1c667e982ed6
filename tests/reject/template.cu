/*---
function = "f"
error = "UnsupportedError"
frontend = "c"
---*/
template <typename T>
struct Pair { T first, second; };

void f(double *x)
{
    Pair<double> p;  // expected-error: 'Pair' is a class template
//  ^
    p.first = x[0];
    x[0] = p.first;
}
