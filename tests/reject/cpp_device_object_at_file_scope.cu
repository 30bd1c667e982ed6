/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "cudaMemcpyToSymbol"
---*/
struct Table {
    double v[4];
    constexpr Table(double d) : v{d, d, d, d} {}
};
__device__ Table table(0.5);  // expected-error: a value that the program computes of a variable in device memory
//               ^

__global__ void f(double *x) { x[threadIdx.x] *= table.v[threadIdx.x]; }
