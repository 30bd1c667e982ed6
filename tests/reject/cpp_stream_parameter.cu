/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// A stream that another function hands over is not followed.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
struct Point {
    double x, y;
};
std::ostream &operator<<(std::ostream &os, const Point &p)
{
    return os << "(" << std::setw(6) << p.x << ", " << p.y << ")"; // expected-error: writing to a stream that is a member or a parameter
}
double f(const double *x)
{
    Point p{x[0], x[1]};
    std::ostringstream os;
    os << p;
    return x[0] * os.str().size();
}
