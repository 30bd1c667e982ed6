/*---
function = "f"
help = "use its name"
---*/
#include <string.h>

double f(double x, int n)
{
    double a[n];
    memset(&a, 0, sizeof a);  // expected-error: the address of an array of variable length
//          ^
    a[0] = x;
    return a[0] * x;
}
