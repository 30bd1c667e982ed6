/*---
function = "f"
wrt = ["x"]
of = ["y"]
error = "UnsupportedError"
help = "a kernel of the program's own"
---*/
#include <cublas_v2.h>

void f(double *y, const double *x, int n)
{
    cublasHandle_t handles[2];
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cublasCreate(&handles[d]);
    }
    const double two = 2.0;
    cublasDaxpy(handles[0], n, &two, x, 1, y, 1);  // expected-error @5: a routine of a library in a program on several
}
