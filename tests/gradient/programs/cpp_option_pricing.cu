/*---
function = "price"
wrt = ["spot", "strike", "volatility"]
of = ["prices"]
[inputs]
prices = { zeros = [11] }
spot = { shape = [11], random_uniform = 1, low = 80, high = 120 }
strike = { shape = [11], random_uniform = 2, low = 80, high = 120 }
volatility = { shape = [11], random_uniform = 3, low = 0.1, high = 0.4 }
rate = 0.03
n = 11
---*/
// Black-Scholes and a binomial tree, chosen by functions known when the program is differentiated.
#include <cmath>
#include <limits>

struct Option {
    double spot, strike, volatility, rate;
    double expiry = 1.5;
    bool call = true;
};

__host__ __device__ inline double normal_cdf(double d) { return 0.5 * erfc(-d * 0.70710678118654752440); }

__host__ __device__ double closed_form(const Option &o)
{
    const double root = o.volatility * sqrt(o.expiry);
    const double d1 = (log(o.spot / o.strike) + (o.rate + 0.5 * o.volatility * o.volatility) * o.expiry) / root;
    const double d2 = d1 - root;
    const double discounted = o.strike * exp(-o.rate * o.expiry);
    return o.call ? o.spot * normal_cdf(d1) - discounted * normal_cdf(d2)
                  : discounted * normal_cdf(-d2) - o.spot * normal_cdf(-d1);
}

template <int Steps> __host__ __device__ double tree(const Option &o)
{
    const double dt = o.expiry / Steps, up = exp(o.volatility * sqrt(dt)), down = 1.0 / up;
    const double q = (exp(o.rate * dt) - down) / (up - down), discount = exp(-o.rate * dt);
    double value[Steps + 1];
    for (int i = 0; i <= Steps; ++i)
        value[i] = fmax(o.spot * pow(up, 2.0 * i - Steps) - o.strike, 0.0);
    for (int level = Steps; level > 0; --level)
        for (int i = 0; i < level; ++i)
            value[i] = discount * (q * value[i + 1] + (1.0 - q) * value[i]);
    return value[0];
}

template <double (*Model)(const Option &)>
__global__ void price_kernel(double *prices, const double *spot, const double *strike, const double *volatility, double rate, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= static_cast<unsigned>(n))
        return;
    Option o{spot[i], strike[i], volatility[i], rate};
    const double value = Model(o);
    prices[i] += value < std::numeric_limits<double>::max() ? value : 0.0;
}

typedef double (*model_t)(const Option &);

void price(double *prices, const double *spot, const double *strike, const double *volatility, double rate, int n)
{
    double *d[4];
    for (auto &p : d)
        cudaMalloc(&p, n * sizeof(double));
    cudaMemset(d[0], 0, n * sizeof(double));
    const double *host[3] = {spot, strike, volatility};
    for (int i = 0; i < 3; ++i)
        cudaMemcpy(d[i + 1], host[i], n * sizeof(double), cudaMemcpyHostToDevice);
    constexpr model_t model = &tree<6>;
    price_kernel<closed_form><<<(n + 3) / 4, 4>>>(d[0], d[1], d[2], d[3], rate, n);
    price_kernel<model><<<(n + 3) / 4, 4>>>(d[0], d[1], d[2], d[3], rate, n);
    cudaMemcpy(prices, d[0], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (double *p : d)
        cudaFree(p);
}
