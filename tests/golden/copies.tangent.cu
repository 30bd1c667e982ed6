#include <cstdlib>

// tangent of square (line 12)
static __global__ void square_tangent(float *y, const float *x, float *dot_y, float *dot_x)
{
    dot_y[threadIdx.x] = 2.0f * x[threadIdx.x] * dot_x[threadIdx.x];
    y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}

// tangent of the return value of energy (line 17) along x
extern "C" float energy_tangent(const float *x, float *dot_x, float *dot_return)
{
    float *dot_d_x;
    float *d_x;
    float *dot_d_y;
    float *d_y;
    float *y = (float *)malloc(20 * sizeof(float));
    float *dot_y = (float *)calloc(1, 20 * sizeof(float));
    cudaMalloc(&d_x, 20 * sizeof(float));
    cudaMalloc((void **)&dot_d_x, 20 * sizeof(float));
    cudaMemset(dot_d_x, 0, 20 * sizeof(float));
    cudaMalloc(&d_y, 20 * sizeof(float));
    cudaMalloc((void **)&dot_d_y, 20 * sizeof(float));
    cudaMemset(dot_d_y, 0, 20 * sizeof(float));
    cudaMemcpy(dot_d_x, dot_x, 20 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, 20 * sizeof(float), cudaMemcpyHostToDevice);
    square_tangent<<<1, 20>>>(d_y, d_x, dot_d_y, dot_d_x);
    cudaMemcpy(dot_y, dot_d_y, 20 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(y, d_y, 20 * sizeof(float), cudaMemcpyDeviceToHost);
    float dot_sum = 0;
    float sum = 0.0f;
    for (int i = 0; i < 20; ++i) {
        dot_sum += dot_y[i];
        sum += y[i];
    }
    cudaFree(dot_d_x);
    cudaFree(d_x);
    cudaFree(dot_d_y);
    cudaFree(d_y);
    free(dot_y);
    free(y);
    float dot_result = dot_sum;
    float result = sum;
    *dot_return = dot_result;
    return result;
}
