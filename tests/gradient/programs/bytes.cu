/*---
function = "driver"
wrt = ["x", "w"]
of = ["y", "x"]
[inputs]
y = { zeros = [12] }
x = { shape = [12], random = 1 }
w = { shape = [12], random = 2 }
n = 12
first = 3
---*/
// Copies and fills at offsets in bytes: of device and host memory, through pointers to char and to void, in a loop that
// overwrites what a kernel has used, and frees of what was seen as bytes.
#include <stdlib.h>
#include <string.h>

__global__ void multiply(double *y, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = y[i] * x[i] + x[i] * x[i];
}

void driver(double *y, double *x, const double *w, int n, int first)
{
    size_t word = sizeof(double);
    double *u;
    float *kept = (float *)malloc(4 * sizeof(float));
    char *bytes = (char *)kept;
    cudaMalloc((void **)&u, n * word);
    cudaMemcpy((char *)u + first * word, (const char *)w + word, (n - first) * word, cudaMemcpyDeviceToDevice);
    cudaMemset((unsigned char *)u, 0, first * word);
    for (int k = 0; k < 3; k++) {
        multiply<<<2, 8>>>(x, u, n);
        cudaMemcpy((void *)x + (k + 1) * word, (void *)u + (n - 2 - k) * word, 2 * word, cudaMemcpyDeviceToDevice);
        multiply<<<2, 8>>>(u, x, n);
        unsigned char *part = (unsigned char *)u;
        part += (k + 4) * word;
        cudaMemset(part, 0, word);
    }
    cudaMemcpy(&((char *)y)[8], u, (n - 1) * word, cudaMemcpyDeviceToDevice);
    double host[3];
    cudaMemcpy((char *)host + 8, (char *)u + 2 * word, 16, cudaMemcpyDeviceToHost);
    kept[1] = host[1] * host[2];
    memcpy(bytes + 8, bytes + sizeof(float), sizeof(float));
    host[0] = kept[2] * kept[1];
    memmove((char *)host + 8, (char *)host, 16);
    cudaMemcpy((char *)y, (char *)host + 8, 8, cudaMemcpyHostToDevice);
    cudaFree((void *)(char *)u);
    free(bytes);
}
