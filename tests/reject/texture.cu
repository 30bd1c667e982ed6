/*---
function = "f"
error = "UnsupportedError"
help = "as a pointer"
---*/
__global__ void f(float *y, cudaTextureObject_t image)  // expected-error: textures
//                          ^
{
    y[threadIdx.x] = tex1Dfetch<float>(image, threadIdx.x);
}
