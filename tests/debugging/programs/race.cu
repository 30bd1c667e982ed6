/*---
function = "smooth"
wrt = ["x"]
of = ["x"]
launch = { grid = 1, block = 64 }
breaks = "race"
[right]
defines = { TWO_ARRAYS = 1 }
of = ["y"]
[inputs]
y = { zeros = [64] }
x = { shape = [64], random = 4 }
n = 64
---*/
// Each thread reads what its neighbour overwrites.
#ifdef TWO_ARRAYS
#define OUT y
#else
#define OUT x
#endif
__global__ void smooth(double *y, double *x, int n)
{
    int i = threadIdx.x;
    double mean = 0;
    if (i > 0 && i < n - 1)
        mean = (x[i - 1] + x[i] + x[i + 1]) / 3.0; // breaks
    if (i > 0 && i < n - 1)
        OUT[i] = mean;
}
