/*---
function = "f"
wrt = ["x"]
of = ["x"]
---*/
#include <cublas_v2.h>

void f(double *x, int n, int often)
{
    cublasHandle_t handle;
    double *d, factor = 2;
    cublasCreate(&handle);
    cudaMalloc(&d, (n + 1) * sizeof(double));
    cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
    if (often > 1)
        cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasDscal(handle, n, &factor, d, 1);  // expected-error: whether cuBLAS finds its scalars on the host or on the device is not known here
    cudaMemcpy(x, d, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d);
}
