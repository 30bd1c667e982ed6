/*---
function = "apply"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [18] }
x = { shape = [18], random = 1 }
n = 18
kind = 1

[[cases]]
name = "periodic"

[[cases]]
name = "mirror"
inputs = { kind = 4 }
---*/
// Names for types and numbers: typedefs of scalars, pointers, arrays and structs, enums, bool, sizeof.
#include <stdbool.h>

typedef double real;
typedef real *vector;
typedef real triple[3];
typedef unsigned int index_t;
typedef enum { OPEN, PERIODIC, MIRROR = 1 << 2 } boundary;
typedef struct {
    triple weight;
    boundary at_end;
    bool square;
} settings;

__device__ index_t neighbour(index_t i, int by, index_t n, boundary kind)
{
    if (kind == PERIODIC)
        return (i + n + by) % n;
    if (kind == MIRROR)
        return by < 0 ? (i == 0 ? 1 : i - 1) : (i + 1 == n ? n - 2 : i + 1);
    return i;
}

__global__ void apply_kernel(vector y, const real *x, settings s, index_t n)
{
    index_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    real sum = 0;
    for (int k = -1; k <= 1; k++)
        sum += s.weight[k + 1] * x[neighbour(i, k, n, s.at_end)];
    const bool positive = sum > 0;
    y[i] = s.square && positive ? sum * sum : sum * (sizeof(triple) / sizeof(real));
}

void apply(vector y, const real *x, index_t n, int kind)
{
    settings s = {{0.25, 0.5, 0.25}, (boundary)kind, true};
    apply_kernel<<<(n + 7) / 8, 8>>>(y, x, s, n);
}
