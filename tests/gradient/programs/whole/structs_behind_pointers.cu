/*---
function = "tree"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [24], random = 1 }, n = 8 }
---*/
// An array, in device memory, of pointers to structs in device memory, each allocated by itself.
typedef struct { double *data; int n; double scale; } Block;
__global__ void sweep(Block **blocks, int count)
{
    int b = blockIdx.x, i = threadIdx.x;
    Block *mine = blocks[b], *next = blocks[(b + 1) % count];
    if (i < mine->n && b % 2 == 0) mine->data[i] += mine->scale * next->data[i] * next->data[mine->n - 1 - i];
}
void tree(double *x, int n)
{
    Block *d[3], **all;
    for (int k = 0; k < 3; k++) {
        Block h;
        h.data = x + k * n; h.n = n; h.scale = 0.3 + k;
        cudaMalloc((void **)&d[k], sizeof(Block));
        cudaMemcpy(d[k], &h, sizeof(Block), cudaMemcpyHostToDevice);
    }
    cudaMalloc((void **)&all, 3 * sizeof(Block *));
    cudaMemcpy(all, d, 3 * sizeof(Block *), cudaMemcpyHostToDevice);
    sweep<<<2, 8>>>(all, 3);
    sweep<<<2, 8>>>(all, 2);
    for (int k = 0; k < 3; k++) cudaFree(d[k]);
    cudaFree(all);
}
