/*---
function = "model"
wrt = ["positions", "strength"]
[inputs]
positions = { shape = [72], random_uniform = 1, low = 0.0, high = 3.0 }
strength = 0.7
n = 24
steps = 2
---*/
// Molecular dynamics in two steps: neighbour lists on the host, forces and leapfrog by functors on the device.
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>
#include <vector>

struct Vec3 {
    double x, y, z;
    __host__ __device__ Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ double squared() const { return x * x + y * y + z * z; }
};

struct Forces {
    const Vec3 *positions;
    const int *starts, *neighbours;
    Vec3 *velocities;
    double strength, dt;
    __device__ void operator()(int i) const
    {
        Vec3 force{0.0, 0.0, 0.0};
        for (int k = starts[i]; k < starts[i + 1]; ++k) {
            Vec3 d = positions[i] - positions[neighbours[k]];
            double scale = strength * exp(-d.squared());
            force.x += scale * d.x;
            force.y += scale * d.y;
            force.z += scale * d.z;
        }
        velocities[i].x += dt * force.x;
        velocities[i].y += dt * force.y;
        velocities[i].z += dt * force.z;
    }
};

struct Drift {
    Vec3 *positions;
    const Vec3 *velocities;
    double dt;
    __device__ void operator()(int i) const
    {
        positions[i].x += dt * velocities[i].x;
        positions[i].y += dt * velocities[i].y;
        positions[i].z += dt * velocities[i].z;
    }
};

struct Kinetic {
    const Vec3 *velocities;
    __device__ double operator()(int i) const { return 0.5 * velocities[i].squared(); }
};

double model(const double *positions, double strength, int n, int steps)
{
    std::vector<Vec3> start(n);
    for (int i = 0; i < n; ++i)
        start[i] = Vec3{positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
    std::vector<int> starts(n + 1), neighbours;
    for (int i = 0; i < n; ++i) {
        starts[i] = neighbours.size();
        for (int j = 0; j < n; ++j) {
            double distance = (start[i] - start[j]).squared();
            if (j != i && distance < 1.7)
                neighbours.push_back(j);
        }
    }
    starts[n] = neighbours.size();
    thrust::device_vector<Vec3> x(start.begin(), start.end()), v(n);
    thrust::device_vector<int> d_starts(starts), d_neighbours(neighbours);
    auto first = thrust::make_counting_iterator(0);
    Vec3 *px = thrust::raw_pointer_cast(x.data()), *pv = thrust::raw_pointer_cast(v.data());
    for (int k = 0; k < steps; ++k) {
        thrust::for_each_n(thrust::device, first, n,
                           Forces{px, thrust::raw_pointer_cast(d_starts.data()),
                                  thrust::raw_pointer_cast(d_neighbours.data()), pv, strength, 0.1});
        thrust::for_each_n(thrust::device, first, n, Drift{px, pv, 0.1});
    }
    return thrust::transform_reduce(thrust::device, first, first + n, Kinetic{pv}, 0.0, thrust::plus<double>());
}
