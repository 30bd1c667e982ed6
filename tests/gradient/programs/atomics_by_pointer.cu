/*---
function = "exchange"
wrt = ["x", "y"]
of = ["account"]
[inputs]
account = { shape = [5], random = 1 }
x = { shape = [26], random = 2 }
y = { shape = [26], random = 3 }
from = { shape = [26], random = 4, low = 0, high = 5 }
to = { shape = [26], random = 5, low = 0, high = 5 }
n = 26
---*/
// What threads take from one cell, as a negative sum, and give to another, in float and with an index by pointer.
__global__ void exchange_kernel(float *account, const float *x, const float *y, const int *from, const int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float amount = x[i] * y[i];
    atomicAdd(account + from[i], -amount * x[i]);
    float *target = &account[to[i]];
    if (from[i] != to[i])
        atomicAdd(target, amount * y[i]);
}

void exchange(float *account, const float *x, const float *y, const int *from, const int *to, int n)
{
    exchange_kernel<<<(n + 7) / 8, 8>>>(account, x, y, from, to, n);
}
