/*---
function = "relax"
wrt = ["u", "rate"]
of = ["u"]
[inputs]
u = { shape = [32], random = 1 }
n = 32
rate = 0.3
mode = 0

[[cases]]
name = "plain"

[[cases]]
name = "damped"
inputs = { mode = 1 }

[[cases]]
name = "early"
inputs = { mode = 2 }
---*/
// Branches, an early return, a while loop and a break around launches.
__global__ void smooth(double *u, double rate, int n, int parity)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1 && i % 2 == parity)
        u[i] = u[i] + rate * (u[i - 1] * u[i + 1] - u[i]);
}

__global__ void damp(double *u, double rate, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        u[i] = u[i] / (1.0 + rate * u[i] * u[i]);
}

void relax(double *u, int n, double rate, int mode)
{
    int sweeps = 0;
    while (1) {
        smooth<<<(n + 15) / 16, 16>>>(u, rate, n, sweeps % 2);
        sweeps++;
        if (mode == 2 && sweeps == 1)
            return;
        if (sweeps >= 4)
            break;
        if (mode == 1)
            damp<<<2, 16>>>(u, rate, n);
        else
            rate = rate * 0.9;
    }
    damp<<<2, 16>>>(u, rate, n);
}
