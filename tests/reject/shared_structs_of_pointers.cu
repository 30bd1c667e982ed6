/*---
function = "run"
wrt = ["x"]
of = ["out"]
help = "keep the pointers in a shared variable"
---*/
// An array of structs in shared memory, with pointers to active data and active numbers.
typedef struct {
    double *x;
    double scale;
} Part;

__global__ void kernel(double *out, double *x, int n)
{
    __shared__ Part parts[2];  // expected-error @21: pointers to active data beside other data
    int i = threadIdx.x;
    if (i < 2) {
        parts[i].x = x + i;
        parts[i].scale = x[i];
    }
    __syncthreads();
    if (i < n - 1)
        out[i] = parts[0].x[i] * parts[1].x[i] * parts[1].scale;
}

void run(double *out, double *x, int n)
{
    kernel<<<1, 32>>>(out, x, n);
}
