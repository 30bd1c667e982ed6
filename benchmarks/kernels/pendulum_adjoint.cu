// Adjoint of pendulum() by hand.  Undoing a step needs cos(angle) before it: taken with the sine in one call.
#ifndef STEPS
#define STEPS 64
#endif

// A local array holds all cosines.
__global__ void pendulum_pullback_local(const float *angle, const float *speed, float dt, int n, const float *adj_angle_out,
                                        const float *adj_speed_out, float *adj_angle, float *adj_speed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float cosine[STEPS];
        float q = angle[i];
        float p = speed[i];
        for (int step = 0; step < STEPS; step++) {
            float s, c;
            sincosf(q, &s, &c);
            cosine[step] = c;
            p -= dt * s;
            q += dt * p;
        }
        float adj_q = adj_angle_out[i];
        float adj_p = adj_speed_out[i];
        for (int step = STEPS - 1; step >= 0; step--) {
            adj_p += dt * adj_q;
            adj_q -= dt * cosine[step] * adj_p;
        }
        adj_angle[i] += adj_q;
        adj_speed[i] += adj_p;
    }
}

// Checkpoints: the state every SEGMENT steps, and the cosines of one segment at a time.
#ifndef SEGMENT
#define SEGMENT 8
#endif
#define SEGMENTS (STEPS / SEGMENT)

__global__ void pendulum_pullback_checkpoints(const float *angle, const float *speed, float dt, int n,
                                              const float *adj_angle_out, const float *adj_speed_out, float *adj_angle,
                                              float *adj_speed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float saved_q[SEGMENTS];
        float saved_p[SEGMENTS];
        float cosine[SEGMENT];
        float q = angle[i];
        float p = speed[i];
        for (int segment = 0; segment < SEGMENTS; segment++) {
            saved_q[segment] = q;
            saved_p[segment] = p;
            if (segment < SEGMENTS - 1) {
                for (int step = 0; step < SEGMENT; step++) {
                    p -= dt * sinf(q);
                    q += dt * p;
                }
            }
        }
        float adj_q = adj_angle_out[i];
        float adj_p = adj_speed_out[i];
        for (int segment = SEGMENTS - 1; segment >= 0; segment--) {
            q = saved_q[segment];
            p = saved_p[segment];
#pragma unroll
            for (int step = 0; step < SEGMENT; step++) {
                float s, c;
                sincosf(q, &s, &c);
                cosine[step] = c;
                p -= dt * s;
                q += dt * p;
            }
#pragma unroll
            for (int step = SEGMENT - 1; step >= 0; step--) {
                adj_p += dt * adj_q;
                adj_q -= dt * cosine[step] * adj_p;
            }
        }
        adj_angle[i] += adj_q;
        adj_speed[i] += adj_p;
    }
}
