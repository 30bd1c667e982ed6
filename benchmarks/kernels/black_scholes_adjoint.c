/* Adjoint of black_scholes() by hand, with the simplifications of the textbook. */
#include <math.h>

void black_scholes_pullback(const float *restrict spot, const float *restrict strike, const float *restrict years,
                            float rate, float volatility, int n, const float *restrict adj_call,
                            float *restrict adj_spot, float *restrict adj_strike, float *restrict adj_years)
{
    for (int i = 0; i < n; i++) {
        const float seed = adj_call[i], s = spot[i], k = strike[i], t = years[i], root = sqrtf(t);
        const float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        const float d2 = d1 - volatility * root, discount = expf(-rate * t);
        const float below1 = 0.5f * erfcf(-0.70710678f * d1);
        const float below2 = discount * 0.5f * erfcf(-0.70710678f * d2);
        const float density = 0.39894228f * expf(-0.5f * d1 * d1);
        adj_spot[i] += seed * below1;
        adj_strike[i] -= seed * below2;
        adj_years[i] += seed * (0.5f * s * density * volatility / root + rate * k * below2);
    }
}
