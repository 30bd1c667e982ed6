/*---
function = "f"
wrt = ["x"]
help = "copy the numbers themselves"
---*/
// Active numbers that are kept as bytes in a local array, and made numbers again.
#include <string.h>

double f(double x)
{
    double a[4] = {x, x * x, 2, 3};
    char kept[32];
    memcpy(kept, (char *)a, 32);
    memcpy(a, kept + 8, 8);  // expected-error: bits of active numbers
//  ^
    return a[0] * x;
}
