/*---
function = "huber"
wrt = ["r"]
of = ["loss"]
launch = { grid = 1, block = 16 }
breaks = "branch"
thread = 9
[right.inputs]
r = { shape = [12], random = 8 }
[inputs]
loss = { zeros = [12] }
r = { values = [0.5, 2.0, -0.3, 0.1, 3.0, -2.0, 0.2, 0.7, 0.6, 1.0, 0.4, 1.5] }
n = 12
---*/
// A loss of two pieces that do not meet with one slope, at the place where they meet.
__global__ void huber(double *loss, const double *r, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        double size = sqrt(r[i] * r[i]);
        if (size <= 1.0)
            loss[i] = 0.5 * size * size; // breaks
        else
            loss[i] = 3.0 * size - 2.5;
    }
}
