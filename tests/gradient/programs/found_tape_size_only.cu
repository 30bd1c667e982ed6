/*---
function = "run"
wrt = ["c"]
of = ["w"]
[inputs]
w = { shape = [3], random_uniform = 1, low = -1.0, high = 1.0 }
c = 0.4
n = 3
---*/
// Nothing but the kernel that sizes the tapes needs an atomic operation.
__global__ void halve(double *w, double c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int k = 0;
        do {
            k++;
            w[i] = 0.5 * c;
        } while (k < 3);
        int again = 0;
        do {
            again++;
            double v = c;
        } while (again < 2);
    }
}

void run(double *w, double c, int n)
{
    halve<<<n, 1>>>(w, c, n);
}
