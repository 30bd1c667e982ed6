/*---
function = "f"
wrt = ["x"]
of = ["y"]
help = "copy the numbers themselves"
---*/
// Bits of active numbers, stored as integers in memory of which only bytes are known, and copied on as bytes.
#include <stdlib.h>
#include <string.h>

void f(double *y, const double *x)
{
    void *bits = malloc(4 * sizeof(double)), *other = malloc(4 * sizeof(double));
    for (int i = 0; i < 4; i++)
        ((long long *)bits)[i] = __double_as_longlong(x[i]);
    memcpy(other, bits, 4 * sizeof(double));  // expected-error @5: may be bits of active numbers
    memcpy(y, other, 4 * sizeof(double));
    free(bits);
    free(other);
}
