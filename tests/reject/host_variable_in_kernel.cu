/*---
function = "cool"
wrt = ["t"]
of = ["out"]
error = "UnsupportedError"
help = "cudaMemcpyToSymbol"
---*/
// A kernel would not see what the host sets.
double ambient = 0.25;

__global__ void step(double *to, const double *from)
{
    to[threadIdx.x] = ambient * from[threadIdx.x];  // expected-error @23: a variable that the host has
}

void cool(double *out, const double *t)
{
    ambient = 0.2;
    step<<<1, 4>>>(out, t);
    cudaDeviceSynchronize();
}
