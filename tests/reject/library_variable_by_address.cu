/*---
function = "run"
wrt = ["x"]
of = ["x"]
---*/
#include <errno.h>
void run(double *x)
{
    int *error = &errno; // expected-error: hetad does not support the address of 'errno'
    *error = 0;
    if (!errno)
        x[0] *= x[0];
}
