/*---
function = "f"
error = "UnsupportedError"
---*/
texture<float, 1, cudaReadModeElementType> image;

__global__ void f(float *y)
{
    y[threadIdx.x] = tex1Dfetch(image, threadIdx.x);  // expected-error: textures
//                   ^
}
