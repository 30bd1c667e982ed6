// A time loop that plays ping-pong between two buffers.
//
// collide() is not linear, and each of its two arrays is overwritten again and again: the step k of the reverse sweep
// needs src as it was at step k, which the forward sweep has long replaced.  hetad saves what its pullbacks need before
// it is overwritten and restores it on the way back; nobody writes any glue between kern(), iter() and the kernel.

__global__ void collide(const double *src, double *dst)
{
    int i = threadIdx.x;
    dst[i] += src[i] * src[i] - 3 * src[i];
}

void kern(const double *src, double *dst)
{
    collide<<<1, 100>>>(src, dst);
}

// src and dst are device arrays of 100 values.
void iter(int nTimeSteps, double *src, double *dst)
{
    for (int step = 0; step < nTimeSteps; step++) {
        kern(src, dst);
        kern(dst, src);
    }
}
