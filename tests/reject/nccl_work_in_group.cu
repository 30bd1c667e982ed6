/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "end the group before"
---*/
#include <nccl.h>

__global__ void square(double *y, int n)
{
    if (threadIdx.x < n) y[threadIdx.x] *= y[threadIdx.x];
}

void f(double *y, double *x, int n, ncclComm_t comm)
{
    ncclGroupStart();
    ncclSend(x, n, ncclDouble, 0, comm, 0);
    square<<<1, 32>>>(x, n);  // expected-error: this stands in a group of NCCL
    ncclRecv(y, n, ncclDouble, 0, comm, 0);
    ncclGroupEnd();
}
