// Prices of European options, and with hetad their "Greeks".
//
// One thread per option evaluates the Black-Scholes formula from five inputs.  Its gradient with respect to the spot
// price is Delta, to the volatility Vega, to the rate Rho, to the time to expiry (minus) Theta: five sensitivities for
// one reverse sweep.  The formula is a chain of logf, sqrtf, expf and erfcf, the last inside a __device__ function.

// The distribution function of the standard normal distribution.
__device__ float normal_cdf(float x)
{
    return 0.5f * erfcf(-x * 0.70710678f);
}

__global__ void black_scholes_kernel(float *call, float *put, const float *spot, const float *strike,
                                     const float *years, const float *rate, const float *volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float deviation = volatility[i] * sqrtf(years[i]);
    float drift = (rate[i] + 0.5f * volatility[i] * volatility[i]) * years[i];
    float d1 = (logf(spot[i] / strike[i]) + drift) / deviation;
    float d2 = d1 - deviation;
    float discounted = strike[i] * expf(-rate[i] * years[i]);
    call[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
    put[i] = discounted * normal_cdf(-d2) - spot[i] * normal_cdf(-d1);
}

// Device pointers to n values each.
void black_scholes(float *call, float *put, const float *spot, const float *strike, const float *years,
                   const float *rate, const float *volatility, int n)
{
    dim3 block(128);
    dim3 grid((n + block.x - 1) / block.x);
    black_scholes_kernel<<<grid, block>>>(call, put, spot, strike, years, rate, volatility, n);
}
