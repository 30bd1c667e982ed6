/*---
[[cases]]
name = "double"
function = "expected"
wrt = ["x", "mean", "deviation"]
inputs = { n = 38, steps = 3, seed = 20240501, mean = 0.3, deviation = 0.7, x = { shape = [38], random = 1 } }

[[cases]]
name = "float"
function = "expected_float"
wrt = ["x", "deviation"]
inputs = { n = 38, seed = 7, deviation = 0.7, x = { shape = [38], random = 1 } }

[[cases]]
name = "overwritten"
function = "overwritten"
wrt = ["x"]
of = ["x"]
inputs = { n = 37, seed = 99, x = { shape = [37], random = 1 } }
---*/
// Random numbers drawn by the host's generators: the reverse sweep sees those of the forward sweep.
#include <curand.h>

__global__ void jump(int n, const double *noise, const double *u, double *v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = u[i] + 0.1 * noise[i] * u[i] * u[i] + noise[(i + 1) % n];
}

// New numbers in the same buffer at each step, of three kinds.
double expected(int n, int steps, unsigned long long seed, double mean, double deviation, const double *x)
{
    curandGenerator_t generator;
    double *u, *v, *noise;
    cudaMalloc(&u, n * sizeof(double));
    cudaMalloc(&v, n * sizeof(double));
    cudaMalloc(&noise, n * sizeof(double));
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, seed);
    for (int t = 0; t < steps; t++) {
        curandStatus_t status;
        if (t % 3 == 0)
            status = curandGenerateNormalDouble(generator, noise, n, mean, deviation);
        else if (t % 3 == 1)
            status = curandGenerateUniformDouble(generator, noise, n);
        else
            status = curandGenerateLogNormalDouble(generator, noise, n, mean, deviation);
        if (status != CURAND_STATUS_SUCCESS) return -1;
        jump<<<(n + 15) / 16, 16>>>(n, noise, u, v);
        double *w = u;
        u = v;
        v = w;
    }
    curandDestroyGenerator(generator);
    double *h = (double *)malloc(n * sizeof(double)), sum = 0;
    cudaMemcpy(h, u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += h[i] * h[i];
    free(h);
    cudaFree(u);
    cudaFree(v);
    cudaFree(noise);
    return sum;
}

__global__ void weigh(int n, const float *noise, const unsigned *bits, const float *x, float *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (bits[i] & 1)) atomicAdd(sum, noise[i] * x[i] * x[i]);
}

float expected_float(int n, unsigned long long seed, float deviation, const float *x)
{
    curandGenerator_t g;
    float *d_x, *noise, *sum, result;
    unsigned *bits;
    cudaMalloc((void **)&d_x, n * sizeof(float));
    cudaMalloc((void **)&noise, n * sizeof(float));
    cudaMalloc((void **)&bits, n * sizeof(unsigned));
    cudaMalloc((void **)&sum, sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DEFAULT);
    curandSetStream(g, 0);
    curandGenerateNormal(g, noise, n, 0.5f, deviation);
    curandGenerate(g, bits, n);
    weigh<<<(n + 15) / 16, 16>>>(n, noise, bits, d_x, sum);
    curandSetGeneratorOffset(g, 5);
    curandGenerateUniform(g, noise, n);
    weigh<<<(n + 15) / 16, 16>>>(n, noise, bits, d_x, sum);
    cudaMemcpy(&result, sum, sizeof(float), cudaMemcpyDeviceToHost);
    curandDestroyGenerator(g);
    cudaFree(d_x);
    cudaFree(noise);
    cudaFree(bits);
    cudaFree(sum);
    return result;
}

__global__ void square(int n, double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

// Numbers that are drawn over active ones end their derivative; an odd count of normal numbers is an error, as in cuRAND.
void overwritten(int n, unsigned long long seed, double *x)
{
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_XORWOW);
    curandSetPseudoRandomGeneratorSeed(g, seed);
    square<<<1, 64>>>(n, x);
    if (curandGenerateNormalDouble(g, x, 3, 0, 1) != CURAND_STATUS_LENGTH_NOT_MULTIPLE) abort();
    curandGenerateUniformDouble(g, x + 4, 7);
    square<<<1, 64>>>(n, x);
    curandGenerateUniformDouble(g, x, 0);
    curandDestroyGenerator(g);
}
