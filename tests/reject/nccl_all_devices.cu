/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "ncclCommInitRank"
---*/
#include <nccl.h>

void f(double *y, const double *x, int n)
{
    ncclComm_t comms[2];
    ncclCommInitAll(comms, 2, NULL);  // expected-error: NCCL on several devices in one process
    ncclAllReduce(x, y, n, ncclDouble, ncclSum, comms[0], 0);
}
