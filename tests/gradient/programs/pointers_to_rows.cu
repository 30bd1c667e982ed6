/*---
function = "rows"
wrt = ["a"]
of = ["b"]
[launch]
grid = 1
block = [5, 4]
[inputs]
b = { zeros = [4, 5] }
a = { shape = [4, 5], random = 1 }
t = { shape = [3, 4, 5], random = 2 }

[[cases]]
name = "rows"

[[cases]]
name = "both"
wrt = ["a", "t"]
---*/
// Pointers to whole rows: `double (*a)[5]`, and of a three-dimensional array `double (*t)[4][5]`.
#define M 5

__global__ void rows(double (*b)[M], const double (*a)[M], const double (*t)[4][M])
{
    int i = threadIdx.y, j = threadIdx.x;
    const double (*next)[M] = a + (i + 1) % 4;
    const double *flat = a[i];
    double sum = (*next)[j] * a[i][(j + 1) % M];
    for (int k = 0; k < 3; k++)
        sum += t[k][i][j] * flat[j] * t[k][0][k];
    b[i][j] = sum;
}
