/*---
function = "relax"
wrt = ["u", "rate"]
of = ["u"]
[launch]
grid = 2
block = 20
[inputs]
u = { shape = [40], random = 1 }
rate = { shape = [2], random_uniform = 2, low = 0.1, high = 0.3 }
steps = 4

[[cases]]
name = "some"

[[cases]]
name = "none"
inputs = { steps = 0 }
---*/
// A nonlinear relaxation inside one kernel, as many steps as the argument says, two barriers in each.
__global__ void relax(double *u, const double *rate, int steps)
{
    __shared__ double s[20];
    int t = threadIdx.x;
    s[t] = u[blockIdx.x * 20 + t];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        double next = s[t];
        if (t > 0 && t < 19)
            next += rate[blockIdx.x] * (s[t - 1] * s[t + 1] - next);
        __syncthreads();
        s[t] = next;
        __syncthreads();
    }
    u[blockIdx.x * 20 + t] = s[t];
}
