/*---
function = "relax"
wrt = ["x"]
breaks = "branch"
[right.inputs]
limit = 5.0
[inputs]
x = 4.0
limit = 4.0
---*/
// The host decides by a number that is exactly at the border.
double relax(double x, double limit)
{
    double y = x;
    if (y > limit)
        y = 2.0 * y - limit;
    else
        y = y * y * 0.25; // breaks
    return y * 3.0;
}
