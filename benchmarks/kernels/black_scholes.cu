// The price of a European call by Black and Scholes, one option a thread.
__device__ float normal_cdf(float x)
{
    return 0.5f * erfcf(-0.70710678f * x);
}

__global__ void black_scholes(float *call, const float *spot, const float *strike, const float *years, float rate,
                              float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float root = sqrtf(years[i]);
        float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
        float d2 = d1 - volatility * root;
        float discount = expf(-rate * years[i]);
        call[i] = spot[i] * normal_cdf(d1) - strike[i] * discount * normal_cdf(d2);
    }
}
