/*---
function = "f"
wrt = ["x"]
of = ["x"]
error = "UnsupportedError"
help = "a function that sets it"
---*/
__global__ void k(double *x) { x[threadIdx.x] *= 2; }
static double *buffer;
void setup() { cudaMalloc(&buffer, 64); }
void f(double *x)
{
    cudaMemcpy(buffer, x, 64, cudaMemcpyHostToDevice);  // expected-error @16: set outside of the differentiated function
    k<<<1, 8>>>(buffer);
    cudaMemcpy(x, buffer, 64, cudaMemcpyDeviceToHost);
}
