// Adjoint of black_scholes() by hand, with the simplifications of the textbook: spot n(d1) = strike discount n(d2).
__global__ void black_scholes_pullback(const float *spot, const float *strike, const float *years, float rate,
                                       float volatility, int n, const float *adj_call, float *adj_spot,
                                       float *adj_strike, float *adj_years)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float seed = adj_call[i];
        float s = spot[i];
        float k = strike[i];
        float t = years[i];
        float root = sqrtf(t);
        float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float discount = expf(-rate * t);
        float below1 = 0.5f * erfcf(-0.70710678f * d1);
        float below2 = discount * 0.5f * erfcf(-0.70710678f * d2);
        float density = 0.39894228f * expf(-0.5f * d1 * d1);
        adj_spot[i] += seed * below1;
        adj_strike[i] -= seed * below2;
        adj_years[i] += seed * (0.5f * s * density * volatility / root + rate * k * below2);
    }
}
