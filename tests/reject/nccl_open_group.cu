/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "end it there"
---*/
#include <nccl.h>

void f(double *y, const double *x, int n, ncclComm_t comm)
{
    if (n > 1) {
        ncclGroupStart();  // expected-error: the group that starts here does not end in the same block
    }
    ncclSend(x, n, ncclDouble, 0, comm, 0);
    ncclRecv(y, n, ncclDouble, 0, comm, 0);
    if (n > 1) {
        ncclGroupEnd();
    }
}
