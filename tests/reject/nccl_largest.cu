/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "use ncclSum"
---*/
#include <nccl.h>

void f(double *y, const double *x, int n, ncclComm_t comm)
{
    ncclAllReduce(x, y, n, ncclDouble, ncclMax, comm, 0);  // expected-error: ncclAllReduce of active data that is no sum
}
