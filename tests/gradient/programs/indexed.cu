/*---
function = "scatter"
wrt = ["x"]
of = ["bins"]
[launch]
grid = 2
block = 32
[inputs]
bins = { shape = [5], random = 1 }
x = { shape = [50], random = 2 }
index = { shape = [50], random = 3, low = 0, high = 5 }
n = 50
---*/
// Threads that meet in a cell that only the data knows.
__global__ void scatter(double *bins, const double *x, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[index[i]], x[i] * x[i]);
}
