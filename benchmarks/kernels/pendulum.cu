// STEPS steps of a pendulum in each thread: a nonlinear loop whose reverse needs every angle.
#ifndef STEPS
#define STEPS 64
#endif

__global__ void pendulum(float *angle_out, float *speed_out, const float *angle, const float *speed, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float q = angle[i];
        float p = speed[i];
        for (int step = 0; step < STEPS; step++) {
            p -= dt * sinf(q);
            q += dt * p;
        }
        angle_out[i] = q;
        speed_out[i] = p;
    }
}
