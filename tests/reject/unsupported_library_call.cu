/*---
function = "f"
---*/
#include <cublas_v2.h>

void f(cublasHandle_t handle, double *x, int n)  // expected-error: cublasHandle_t
{
    double two = 2.0;
    cublasDscal(handle, n, &two, x, 1);
}
