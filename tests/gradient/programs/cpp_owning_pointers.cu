/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [10] }
x = { shape = [10], random_uniform = 1, low = 0.5, high = 1.5 }
n = 10
---*/
// Vectors of structs and pointers that own memory of the host and of the device.
#include <memory>
#include <vector>

struct Particle {
    double position, velocity;
    int cell;
    void move(double dt) { position += dt * velocity; }
};

struct FreeOnDevice {
    void operator()(double *p) const { cudaFree(p); }
};
using DeviceArray = std::unique_ptr<double[], FreeOnDevice>;

static DeviceArray device_array(int n)
{
    double *p = nullptr;
    cudaMalloc(&p, n * sizeof(double));
    return DeviceArray(p);
}

__global__ void kick(double *v, const double *p, double dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] -= dt * p[i] * p[i];
}

struct Simulation {
    std::vector<Particle> particles;
    std::unique_ptr<double[]> work;
    DeviceArray positions, velocities;
    double dt = 0.125;

    explicit Simulation(int n) : work(std::make_unique<double[]>(n)), positions(device_array(n)), velocities(device_array(n))
    {
        particles.reserve(n);
    }
    int size() const { return (int)particles.size(); }
    void step()
    {
        const int n = size();
        for (int i = 0; i < n; ++i)
            work[i] = particles[i].position;
        cudaMemcpy(positions.get(), work.get(), n * sizeof(double), cudaMemcpyHostToDevice);
        for (int i = 0; i < n; ++i)
            work[i] = particles[i].velocity;
        cudaMemcpy(velocities.get(), work.get(), n * sizeof(double), cudaMemcpyHostToDevice);
        kick<<<2, 8>>>(velocities.get(), positions.get(), dt, n);
        cudaMemcpy(work.get(), velocities.get(), n * sizeof(double), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) {
            particles[i].velocity = work[i];
            particles[i].move(dt);
        }
    }
};

void model(double *y, const double *x, int n)
{
    Simulation s(n);
    for (int i = 0; i < n; ++i) {
        Particle p = {x[i], 0.5 * x[n - 1 - i], i % 3};
        s.particles.push_back(p);
    }
    for (int k = 0; k < 3; ++k)
        s.step();
    auto scale = std::make_unique<double>(x[2]);
    std::unique_ptr<double> other = std::move(scale);
    if (!scale)
        *other *= 2.0;
    std::vector<Particle> some = s.particles;
    some.resize(4);
    for (int i = 0; i < n; ++i)
        y[i] = s.particles[i].position * *other + some[i % some.size()].velocity * some.back().cell;
}
