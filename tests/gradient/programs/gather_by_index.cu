/*---
function = "lookup"
wrt = ["table"]
of = ["y"]
[launch]
grid = 2
block = 32
[inputs]
y = { zeros = [50] }
table = { shape = [7], random = 2 }
index = { shape = [50], random = 3, low = 0, high = 7 }
n = 50
---*/
// Many threads read one entry: nothing is proven about the index, so in reverse they must add atomically.
__global__ void lookup(double *y, const double *table, const int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = table[index[i]] * table[index[i]];
}
