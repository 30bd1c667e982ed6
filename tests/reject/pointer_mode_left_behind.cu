/*---
function = "f"
wrt = ["x"]
of = ["x"]
---*/
#include <cublas_v2.h>

void f(cublasHandle_t handle, double *x, int n)
{
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);  // expected-error: a handle of the caller's is left in another pointer mode
    cublasDscal(handle, n, x, x + 1, 1);
}
