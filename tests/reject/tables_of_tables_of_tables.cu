/*---
function = "deep"
wrt = ["x"]
of = ["x"]
help = "parameters of their own"
---*/
// Pointers behind pointers behind pointers, all in device memory.
__global__ void square(double ***planes, int n)
{
    int i = threadIdx.x;
    if (i < n)
        planes[0][0][i] *= planes[0][0][i];
}

__global__ void square_more(double ****volumes, int n)
{
    int i = threadIdx.x;
    if (i < n)
        volumes[0][0][0][i] *= volumes[0][0][0][i];
}

void deep(double *x, int n)
{
    double **rows, ***planes, ****volumes;
    cudaMalloc(&rows, sizeof(double *));
    cudaMalloc(&planes, sizeof(double **));
    cudaMalloc(&volumes, sizeof(double ***));
    cudaMemcpy(rows, &x, sizeof(double *), cudaMemcpyHostToDevice);
    cudaMemcpy(planes, &rows, sizeof(double **), cudaMemcpyHostToDevice);
    cudaMemcpy(volumes, &planes, sizeof(double ***), cudaMemcpyHostToDevice);
    square<<<1, 32>>>(planes, n);
    square_more<<<1, 32>>>(volumes, n);  // expected-error @28: behind pointers in device memory
}
