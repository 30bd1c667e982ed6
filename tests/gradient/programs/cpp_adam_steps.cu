/*---
function = "train"
wrt = ["p", "g"]
of = ["p"]
[inputs]
p = { shape = [150], random = 1 }
m = { shape = [150], random_uniform = 2, low = -0.1, high = 0.1 }
v = { shape = [150], random_uniform = 3, low = 0.1, high = 0.5 }
g = { shape = [150], random = 4 }
n = 150
steps = 3
---*/
// The optimiser Adam as a templated kernel with a mode as template argument, run for some steps.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define GPU_CHECK(call)                                                                                             \
    do {                                                                                                            \
        cudaError_t err = (call);                                                                                   \
        if (err != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));                            \
            exit(EXIT_FAILURE);                                                                                     \
        }                                                                                                           \
    } while (0)

enum class AdamMode { InsideRoot = 0, OutsideRoot = 1 };

template <typename T, typename G, AdamMode mode>
__global__ void adam(T *__restrict__ p, T *__restrict__ m, T *__restrict__ v, const G *__restrict__ g, const float b1,
                     const float b2, const float eps, const float rate, const int time_step, const size_t size)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t total = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t j = i; j < size; j += total)
        for (int t = 1; t <= time_step; t++) {
            T scaled = g[j] * T(0.5) + p[j] * T(0.125);
            m[j] = b1 * m[j] + (1.f - b1) * scaled;
            v[j] = b2 * v[j] + (1.f - b2) * scaled * scaled;
            T m_hat = m[j] / (1.f - powf(b1, t)), v_hat = v[j] / (1.f - powf(b2, t)), denom;
            if constexpr (mode == AdamMode::InsideRoot)
                denom = sqrt(v_hat + eps);
            else
                denom = sqrt(v_hat) + eps;
            p[j] -= rate * m_hat / denom;
        }
}

template <typename T, typename G>
void reference(T *p, T *m, T *v, const G *g, float b1, float b2, float eps, float rate, int time_step, size_t size)
{
    for (size_t j = 0; j < size; j++)
        for (int t = 1; t <= time_step; t++) {
            T scaled = g[j] * T(0.5) + p[j] * T(0.125);
            m[j] = b1 * m[j] + (1.f - b1) * scaled;
            v[j] = b2 * v[j] + (1.f - b2) * scaled * scaled;
            p[j] -= rate * (m[j] / (1.f - powf(b1, t))) / (sqrt(v[j] / (1.f - powf(b2, t))) + eps);
        }
}

void train(double *p, double *m, double *v, const float *g, int n, int steps)
{
    double *d_p, *d_m, *d_v;
    float *d_g;
    size_t bytes = n * sizeof(double);
    GPU_CHECK(cudaMalloc((void **)&d_p, bytes));
    GPU_CHECK(cudaMalloc((void **)&d_m, bytes));
    GPU_CHECK(cudaMalloc((void **)&d_v, bytes));
    GPU_CHECK(cudaMalloc((void **)&d_g, n * sizeof(float)));
    GPU_CHECK(cudaMemcpy(d_p, p, bytes, cudaMemcpyHostToDevice));
    GPU_CHECK(cudaMemcpy(d_m, m, bytes, cudaMemcpyHostToDevice));
    GPU_CHECK(cudaMemcpy(d_v, v, bytes, cudaMemcpyHostToDevice));
    GPU_CHECK(cudaMemcpy(d_g, g, n * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grids((n / 2 + 31) / 32), blocks(32);
    auto start = std::chrono::steady_clock::now();
    adam<double, float, AdamMode::InsideRoot><<<grids, blocks>>>(d_p, d_m, d_v, d_g, 0.9f, 0.999f, 1e-4f, 0.05f, steps, n);
    adam<double, float, AdamMode::OutsideRoot><<<grids, blocks>>>(d_p, d_m, d_v, d_g, 0.9f, 0.999f, 1e-4f, 0.05f, steps, n);
    GPU_CHECK(cudaDeviceSynchronize());
    auto end = std::chrono::steady_clock::now();
    auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    printf("Average kernel execution time %f (ms)\n", time * 1e-6f / 2);
    GPU_CHECK(cudaMemcpy(p, d_p, bytes, cudaMemcpyDeviceToHost));
    GPU_CHECK(cudaFree(d_p));
    GPU_CHECK(cudaFree(d_m));
    GPU_CHECK(cudaFree(d_v));
    GPU_CHECK(cudaFree(d_g));
}

int main(int argc, char *argv[])
{
    if (argc != 3) {
        printf("Usage: %s <vector size> <number of time steps>\n", argv[0]);
        return 1;
    }
    const int n = atoi(argv[1]), steps = atoi(argv[2]);
    double scale = 1.5;
    std::vector<double> m(n), v(n), p(n), r(n);
    std::vector<float> g(n);
    srand(123);
    for (int i = 0; i < n; i++) {
        m[i] = rand() / (double)RAND_MAX;
        v[i] = rand() / (double)RAND_MAX;
        g[i] = rand() / (float)RAND_MAX;
        r[i] = p[i] = scale * rand() / (double)RAND_MAX;
    }
    train(p.data(), m.data(), v.data(), g.data(), n, steps);
    reference<double, float>(r.data(), m.data(), v.data(), g.data(), 0.9f, 0.999f, 1e-4f, 0.05f, steps, n);
    bool ok = true;
    double loss = 0.0;
    for (int i = 0; i < n; i++) {
        loss += p[i] * p[i];
        if (std::abs(r[i] - p[i]) > 1e-3) {
            ok = false;
            break;
        }
    }
    printf("%s %f\n", ok ? "PASS" : "FAIL", loss);
    return 0;
}
