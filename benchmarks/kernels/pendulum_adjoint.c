/* Adjoint of pendulum() by hand: on one core the whole tape fits the first cache, so it is simply kept. */
#include <math.h>
#ifndef STEPS
#define STEPS 64
#endif

void pendulum_pullback(const float *restrict angle, const float *restrict speed, float dt, int n,
                       const float *restrict adj_angle_out, const float *restrict adj_speed_out,
                       float *restrict adj_angle, float *restrict adj_speed)
{
    for (int i = 0; i < n; i++) {
        float cosine[STEPS], q = angle[i], p = speed[i];
        for (int step = 0; step < STEPS; step++) {
            cosine[step] = cosf(q);
            p -= dt * sinf(q);
            q += dt * p;
        }
        float adj_q = adj_angle_out[i], adj_p = adj_speed_out[i];
        for (int step = STEPS - 1; step >= 0; step--) {
            adj_p += dt * adj_q;
            adj_q -= dt * cosine[step] * adj_p;
        }
        adj_angle[i] += adj_q;
        adj_speed[i] += adj_p;
    }
}
