/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "make it a template parameter"
---*/
__global__ void grow(double *y) { y[threadIdx.x] *= 2; }
__global__ void shrink(double *y) { y[threadIdx.x] /= 2; }

void f(double *y, int n)
{
    auto kernel = n > 4 ? grow : shrink;
    kernel<<<1, 8>>>(y);  // expected-error: a call of a function that only the run tells
//  ^
}
