/*---
function = "weigh"
wrt = ["x", "w"]
of = ["y"]
reference = { x = "adj_y * 2 * w * x" }
[inputs]
y = { zeros = [21] }
x = { shape = [21], random = 3 }
w = 1.75
n = 21
---*/
// Comments end with their line in the adjoint too, whatever they end in.
__global__ void weighed(double *y, const double *x, double w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0; // a roof:   /\  \ \

        s += w * x[i] * x[i]; // C:\tables\ \ \

        y[i] = s; // what??/
    }
}

void weigh(double *y, const double *x, double w, int n)
{
    char marks[] = "??/\\\"\x41" "2";  // seven characters and the zero
    if (sizeof marks != 8 || marks[2] != '/' || marks[3] != '\\') return;
    weighed<<<(n + 7) / 8, 8>>>(y, x, w, n);  //  \ .
}
