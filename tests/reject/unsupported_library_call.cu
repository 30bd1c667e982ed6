/*---
function = "f"
---*/
#include <cublas_v2.h>

void f(double *x, int n)
{
    cublasHandle_t handle;
    cublasCreate(&handle);
    cublasSetMathMode(handle, 1);  // expected-error: hetad does not know 'cublasSetMathMode'
    cublasDscal(handle, n, x, x + 1, 1);
    cublasDestroy(handle);
}
