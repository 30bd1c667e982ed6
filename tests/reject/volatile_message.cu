/*---
function = "chain"
wrt = ["x"]
of = ["carry"]
help = "split the kernel"
---*/
// Blocks that hand a running sum on, and wait for a flag.
__global__ void chain(double *carry, const double *x, volatile int *ready)
{
    if (threadIdx.x == 0) {
        int b = blockIdx.x;
        double before = 0.0;
        if (b > 0) {
            while (ready[b - 1] == 0)
                ;
            before = carry[b - 1];  // expected-error @22: other blocks of the launch have written
        }
        carry[b] = before * x[b] + x[b];
        __threadfence();
        ready[b] = 1;
    }
}
