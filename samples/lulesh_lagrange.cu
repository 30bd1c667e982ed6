// Lagrangian hydrodynamics of a gas on a mesh of hexahedra that moves with it: the leapfrog step of LULESH.
//
// Nodes move by the stress in the elements around them and by forces against hourglass modes; elements are compressed,
// their artificial viscosity is that of a monotonic limiter, and an equation of state gives energy and pressure.
//
// After the equations of Hydrodynamics Challenge Problem, Lawrence Livermore National Laboratory, LLNL-TR-490254,
// and of D. P. Flanagan and T. Belytschko, Int. J. Numer. Methods Eng. 17 (1981) 679; the volume is that of J. Grandy,
// UCRL-ID-128886 (1997).  Corners of an element are numbered by bits: bit 0 along x, bit 1 along y, bit 2 along z.

#include <algorithm>
#include <vector>

using Real = double;
using Index = int;

struct Vec {
    Real x, y, z;
    __host__ __device__ Vec() : x(0.0), y(0.0), z(0.0) {}
    __host__ __device__ Vec(Real a, Real b, Real c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec &operator+=(const Vec &o)
    {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
};
__host__ __device__ Vec operator+(const Vec &a, const Vec &b) { return Vec(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ Vec operator-(const Vec &a, const Vec &b) { return Vec(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ Vec operator*(Real s, const Vec &a) { return Vec(s * a.x, s * a.y, s * a.z); }
__host__ __device__ Real dot(const Vec &a, const Vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ Vec cross(const Vec &a, const Vec &b)
{
    return Vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

struct Material {
    Real density = 1.0, hourglass = 3.0, linear_q = 0.5, quadratic_q = 2.0 / 3.0, limiter = 2.0, largest_slope = 1.0;
    Real velocity_cut = 1.0e-12, energy_cut = 1.0e-12, pressure_cut = 1.0e-12, q_cut = 1.0e-12;
    Real least_energy = -1.0e15, least_pressure = 0.0;
};

// What kernels see of a domain.
struct Mesh {
    Index edge, elements, nodes;
    Vec *position, *velocity, *corner_force;
    Real *nodal_mass, *energy, *pressure, *q, *volume, *first_volume, *new_volume, *length, *sound, *rate;
    Real *velocity_step[3], *position_step[3], *linear, *quadratic, *bound;

    __host__ __device__ Index node(Index element, Index corner) const
    {
        const Index i = element % edge, j = element / edge % edge, k = element / (edge * edge);
        return i + (corner & 1) + (edge + 1) * (j + (corner >> 1 & 1) + (edge + 1) * (k + (corner >> 2)));
    }
};

template <class T> T *allocated(Index n)
{
    T *made;
    cudaMalloc(&made, n * sizeof(T));
    cudaMemset(made, 0, n * sizeof(T));
    return made;
}

class Domain {
public:
    explicit Domain(Index edge)
    {
        mesh_.edge = edge;
        mesh_.elements = edge * edge * edge;
        mesh_.nodes = (edge + 1) * (edge + 1) * (edge + 1);
        mesh_.position = allocated<Vec>(mesh_.nodes);
        mesh_.velocity = allocated<Vec>(mesh_.nodes);
        mesh_.corner_force = allocated<Vec>(8 * mesh_.elements);
        mesh_.nodal_mass = allocated<Real>(mesh_.nodes);
        mesh_.energy = allocated<Real>(mesh_.elements);
        mesh_.pressure = allocated<Real>(mesh_.elements);
        mesh_.q = allocated<Real>(mesh_.elements);
        mesh_.volume = allocated<Real>(mesh_.elements);
        mesh_.first_volume = allocated<Real>(mesh_.elements);
        mesh_.new_volume = allocated<Real>(mesh_.elements);
        mesh_.length = allocated<Real>(mesh_.elements);
        mesh_.sound = allocated<Real>(mesh_.elements);
        mesh_.rate = allocated<Real>(mesh_.elements);
        mesh_.bound = allocated<Real>(mesh_.elements);
        mesh_.linear = allocated<Real>(mesh_.elements);
        mesh_.quadratic = allocated<Real>(mesh_.elements);
        for (Index d = 0; d < 3; ++d) {
            mesh_.velocity_step[d] = allocated<Real>(mesh_.elements);
            mesh_.position_step[d] = allocated<Real>(mesh_.elements);
        }
    }
    ~Domain()
    {
        cudaFree(mesh_.position);
        cudaFree(mesh_.velocity);
        cudaFree(mesh_.corner_force);
        cudaFree(mesh_.nodal_mass);
        for (Real *array : {mesh_.energy, mesh_.pressure, mesh_.q, mesh_.volume, mesh_.first_volume, mesh_.new_volume,
                            mesh_.length, mesh_.sound, mesh_.rate, mesh_.linear, mesh_.quadratic,
                            mesh_.bound})
            cudaFree(array);
        for (Index d = 0; d < 3; ++d) {
            cudaFree(mesh_.velocity_step[d]);
            cudaFree(mesh_.position_step[d]);
        }
    }
    Domain(const Domain &) = delete;
    Domain &operator=(const Domain &) = delete;
    const Mesh &mesh() const { return mesh_; }

private:
    Mesh mesh_;
};

// --- geometry ------------------------------------------------------------------------------------

__device__ Real volume_of(const Vec *x)
{
    const Vec a = x[7] - x[1], b = x[6] - x[0], c = x[7] - x[2], d = x[3] - x[0], e = x[5] - x[0], f = x[7] - x[4];
    return (dot(a + b, cross(c, d)) + dot(b, cross(c + e, f)) + dot(a, cross(e, f + d))) / 12.0;
}
__device__ Real sign_of(Index corner, Index bit) { return corner >> bit & 1 ? 1.0 : -1.0; }

// Derivatives of the volume at the centre with respect to the corners' positions, and that volume.
__device__ Real gradients_of(Vec *b, const Vec *x)
{
    Vec along[3];
    for (Index d = 0; d < 3; ++d)
        for (Index c = 0; c < 8; ++c)
            along[d] += 0.125 * sign_of(c, d) * x[c];
    const Vec area[3] = {cross(along[1], along[2]), cross(along[2], along[0]), cross(along[0], along[1])};
    for (Index c = 0; c < 8; ++c)
        b[c] = sign_of(c, 0) * area[0] + (sign_of(c, 1) * area[1] + sign_of(c, 2) * area[2]);
    return 8.0 * dot(along[0], area[0]);
}

// The corners of a face in order, seen from outside: axis `d`, on its lower or upper side.
__device__ Vec area_of(const Vec *x, Index d, Index upper)
{
    const Index one = 1 << (d + 1) % 3, other = 1 << (d + 2) % 3, start = upper << d;
    return (upper ? 0.5 : -0.5) * cross(x[start + one + other] - x[start], x[start + other] - x[start + one]);
}
__device__ Real length_of(const Vec *x, Real volume)
{
    Real largest = 0.0;
    for (Index d = 0; d < 3; ++d)
        for (Index upper = 0; upper < 2; ++upper) {
            const Vec area = area_of(x, d, upper);
            largest = fmax(largest, dot(area, area));
        }
    return volume / sqrt(largest);
}
template <class T> __device__ void collect(T *corners, const T *nodes, const Mesh &mesh, Index element)
{
    for (Index c = 0; c < 8; ++c)
        corners[c] = nodes[mesh.node(element, c)];
}

// --- the start -----------------------------------------------------------------------------------

// A unit cube, whose mesh is not quite even.
__global__ void place_nodes(Mesh mesh)
{
    const Index n = blockIdx.x * blockDim.x + threadIdx.x, side = mesh.edge + 1;
    if (n >= mesh.nodes)
        return;
    const Real h = 1.0 / mesh.edge, x = h * (n % side), y = h * (n / side % side), z = h * (n / (side * side));
    mesh.position[n] =
        Vec(x + 0.04 * sin(3.0 * x) * y, y * (0.95 + 0.05 * y) + 0.03 * x * y * z, z * (1.0 + 0.07 * x * z));
}
__global__ void weigh(Mesh mesh, Material material)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    Vec x[8];
    collect(x, mesh.position, mesh, e);
    const Real volume = volume_of(x);
    mesh.first_volume[e] = volume;
    mesh.volume[e] = 1.0;
    mesh.pressure[e] = 2.0 / 3.0 * mesh.energy[e];
    mesh.sound[e] = sqrt(10.0 / 9.0 * mesh.energy[e] / material.density);
    for (Index c = 0; c < 8; ++c)
        atomicAdd(&mesh.nodal_mass[mesh.node(e, c)], 0.125 * material.density * volume);
}

// --- nodes ---------------------------------------------------------------------------------------

__device__ Real mode_of(Index mode, Index corner)
{
    const Real x = sign_of(corner, 0), y = sign_of(corner, 1), z = sign_of(corner, 2);
    return mode == 0 ? y * z : mode == 1 ? z * x : mode == 2 ? x * y : x * y * z;
}

// What resists the four modes in which corners move without a change of the volume.
__device__ void add_hourglass(Vec *force, const Vec *x, const Vec *v, Real coefficient)
{
    Vec b[8];
    const Real volume = gradients_of(b, x);
    for (Index mode = 0; mode < 4; ++mode) {
        Vec of_mode, speed;
        Real shape[8];
        for (Index c = 0; c < 8; ++c)
            of_mode += mode_of(mode, c) * x[c];
        for (Index c = 0; c < 8; ++c) {
            shape[c] = mode_of(mode, c) - dot(of_mode, b[c]) / volume;
            speed += shape[c] * v[c];
        }
        for (Index c = 0; c < 8; ++c)
            force[c] += -coefficient * shape[c] * speed;
    }
}

__global__ void force_elements(Mesh mesh, Material material)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    Vec x[8], v[8], force[8];
    collect(x, mesh.position, mesh, e);
    collect(v, mesh.velocity, mesh, e);
    const Real stress = mesh.pressure[e] + mesh.q[e];
    for (Index d = 0; d < 3; ++d)
        for (Index upper = 0; upper < 2; ++upper) {
            const Vec area = area_of(x, d, upper);
            for (Index c = 0; c < 8; ++c)
                if ((c >> d & 1) == upper)
                    force[c] += 0.25 * stress * area;
        }
    const Real mass = material.density * mesh.first_volume[e], volume = mesh.first_volume[e] * mesh.volume[e];
    add_hourglass(force, x, v, material.hourglass * 0.01 * mesh.sound[e] * mass / cbrt(volume));
    for (Index c = 0; c < 8; ++c)
        mesh.corner_force[8 * e + c] = force[c];
}

__device__ Real cut(Real value, Real least) { return fabs(value) < least ? 0.0 : value; }

// Accelerations, symmetry at the three planes through the origin, velocities and positions.
__global__ void move_nodes(Mesh mesh, Material material, Real dt)
{
    const Index n = blockIdx.x * blockDim.x + threadIdx.x, side = mesh.edge + 1;
    if (n >= mesh.nodes)
        return;
    const Index i = n % side, j = n / side % side, k = n / (side * side);
    Vec force;
    for (Index c = 0; c < 8; ++c) {
        const Index a = i - (c & 1), b = j - (c >> 1 & 1), d = k - (c >> 2);
        if (a >= 0 && b >= 0 && d >= 0 && a < mesh.edge && b < mesh.edge && d < mesh.edge)
            force += mesh.corner_force[8 * (a + mesh.edge * (b + mesh.edge * d)) + c];
    }
    Vec acceleration = 1.0 / mesh.nodal_mass[n] * force;
    if (i == 0)
        acceleration.x = 0.0;
    if (j == 0)
        acceleration.y = 0.0;
    if (k == 0)
        acceleration.z = 0.0;
    Vec v = mesh.velocity[n] + dt * acceleration;
    v = Vec(cut(v.x, material.velocity_cut), cut(v.y, material.velocity_cut), cut(v.z, material.velocity_cut));
    mesh.velocity[n] = v;
    mesh.position[n] += dt * v;
}

// --- elements ------------------------------------------------------------------------------------

// Volumes, lengths, and how fast volumes change, by the mesh half a step before.
__global__ void move_elements(Mesh mesh, Real dt)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    Vec x[8], v[8], b[8];
    collect(x, mesh.position, mesh, e);
    collect(v, mesh.velocity, mesh, e);
    const Real volume = volume_of(x);
    mesh.new_volume[e] = volume / mesh.first_volume[e];
    mesh.length[e] = length_of(x, volume);
    for (Index c = 0; c < 8; ++c)
        x[c] = x[c] - 0.5 * dt * v[c];
    const Real half = gradients_of(b, x);
    Real rate = 0.0;
    for (Index c = 0; c < 8; ++c)
        rate += dot(b[c], v[c]);
    mesh.rate[e] = rate / half;
}

// How positions and velocities change across an element, along each of its axes.
__global__ void difference_elements(Mesh mesh)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    const Real tiny = 1.0e-36, volume = mesh.first_volume[e] * mesh.new_volume[e];
    Vec x[8], v[8], along[3], change[3];
    collect(x, mesh.position, mesh, e);
    collect(v, mesh.velocity, mesh, e);
    for (Index d = 0; d < 3; ++d)
        for (Index c = 0; c < 8; ++c) {
            along[d] += 0.25 * sign_of(c, d) * x[c];
            change[d] += 0.25 * sign_of(c, d) * v[c];
        }
    for (Index d = 0; d < 3; ++d) {
        const Vec area = cross(along[(d + 1) % 3], along[(d + 2) % 3]);
        mesh.position_step[d][e] = volume / sqrt(dot(area, area) + tiny);
        mesh.velocity_step[d][e] = dot(area, change[d]) / (volume + tiny);
    }
}

// 0 where the velocity changes unevenly, 1 where it is linear: mirrored at the lower boundary, free at the upper one.
__device__ Real smoothness(const Mesh &mesh, const Material &material, Index e, Index d)
{
    const Index stride = d == 0 ? 1 : d == 1 ? mesh.edge : mesh.edge * mesh.edge, place = e / stride % mesh.edge;
    const Real here = mesh.velocity_step[d][e], scale = 1.0 / (here + 1.0e-36);
    const Real below = (place == 0 ? here : mesh.velocity_step[d][e - stride]) * scale;
    const Real above = (place == mesh.edge - 1 ? 0.0 : mesh.velocity_step[d][e + stride]) * scale;
    const Real least = fmin(0.5 * (below + above), material.limiter * fmin(below, above));
    return fmin(fmax(least, 0.0), material.largest_slope);
}
__global__ void limit_viscosity(Mesh mesh, Material material)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    Real linear = 0.0, quadratic = 0.0;
    if (mesh.rate[e] <= 0.0) {
        const Real density = material.density / mesh.new_volume[e];
        for (Index d = 0; d < 3; ++d) {
            const Real phi = smoothness(mesh, material, e, d);
            const Real jump = fmin(mesh.velocity_step[d][e] * mesh.position_step[d][e], 0.0);
            linear -= material.linear_q * density * jump * (1.0 - phi);
            quadratic += material.quadratic_q * density * jump * jump * (1.0 - phi * phi);
        }
    }
    mesh.linear[e] = linear;
    mesh.quadratic[e] = quadratic;
}

// --- the material --------------------------------------------------------------------------------

class State {
public:
    __device__ State(const Material &m, Real energy, Real pressure, Real q, Real linear, Real quadratic)
        : material(m), e(energy), p(pressure), viscosity(q), ql(linear), qq(quadratic)
    {
    }
    // Energy and pressure after a change of the volume: half of it, all of it, and a correction of third order.
    __device__ void compress(Real volume, Real change)
    {
        const Real before = p + viscosity, half = 1.0 / (volume - 0.5 * change);
        e = fmax(e - 0.5 * change * before, material.least_energy);
        const Real p_half = pressure(half), q_half = q_at(half, p_half, change);
        settle(0.5 * change * (3.0 * before - 4.0 * (p_half + q_half)));
        const Real p_whole = pressure(1.0 / volume), q_whole = q_at(1.0 / volume, p_whole, change);
        settle(-change / 6.0 * (7.0 * before - 8.0 * (p_half + q_half) + p_whole + q_whole));
        p = pressure(1.0 / volume);
        viscosity = cut(q_at(1.0 / volume, p, change), material.q_cut);
    }
    __device__ Real sound(Real density, Real at) const
    {
        const Real squared = (2.0 / 3.0 * e + 2.0 / 3.0 * at / density) / material.density;
        return squared <= 1.0e-30 ? 1.0e-15 : sqrt(squared);
    }
    __device__ Real energy() const { return e; }
    __device__ Real pressure() const { return p; }
    __device__ Real q() const { return viscosity; }

private:
    const Material &material;
    Real e, p, viscosity, ql, qq;

    __device__ Real pressure(Real density) const
    {
        return fmax(cut(2.0 / 3.0 * density * e, material.pressure_cut), material.least_pressure);
    }
    __device__ Real q_at(Real density, Real at, Real change) const
    {
        return change > 0.0 ? 0.0 : sound(density, at) * ql + qq;
    }
    __device__ void settle(Real more) { e = fmax(cut(e + more, material.energy_cut), material.least_energy); }
};

__global__ void update_elements(Mesh mesh, Material material)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    State state(material, mesh.energy[e], mesh.pressure[e], mesh.q[e], mesh.linear[e], mesh.quadratic[e]);
    const Real volume = mesh.new_volume[e];
    state.compress(volume, volume - mesh.volume[e]);
    mesh.energy[e] = state.energy();
    mesh.pressure[e] = state.pressure();
    mesh.q[e] = state.q();
    mesh.sound[e] = state.sound(1.0 / volume, state.pressure());
    mesh.volume[e] = fabs(volume - 1.0) < 1.0e-13 ? 1.0 : volume;
}

// How long sound, and what compresses, take through an element.
__global__ void bound_step(Mesh mesh, Material material)
{
    const Index e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= mesh.elements)
        return;
    Real squared = mesh.sound[e] * mesh.sound[e];
    if (mesh.rate[e] < 0.0) {
        const Real jump = 2.0 * mesh.length[e] * mesh.rate[e];
        squared += jump * jump;
    }
    mesh.bound[e] = mesh.length[e] / sqrt(squared);
}

// --- the host ------------------------------------------------------------------------------------

Index blocks(Index n) { return (n + 63) / 64; }

void lagrange_nodal(Domain &domain, const Material &material, Real dt)
{
    const Mesh &mesh = domain.mesh();
    force_elements<<<blocks(mesh.elements), 64>>>(mesh, material);
    move_nodes<<<blocks(mesh.nodes), 64>>>(mesh, material, dt);
}

void lagrange_elements(Domain &domain, const Material &material, Real dt)
{
    const Mesh &mesh = domain.mesh();
    move_elements<<<blocks(mesh.elements), 64>>>(mesh, dt);
    difference_elements<<<blocks(mesh.elements), 64>>>(mesh);
    limit_viscosity<<<blocks(mesh.elements), 64>>>(mesh, material);
    update_elements<<<blocks(mesh.elements), 64>>>(mesh, material);
}

// The next time step: a part of the shortest bound, and not much longer than the last one.
Real time_step(Domain &domain, const Material &material, Real dt, Real *bounds)
{
    const Mesh &mesh = domain.mesh();
    bound_step<<<blocks(mesh.elements), 64>>>(mesh, material);
    cudaMemcpy(bounds, mesh.bound, mesh.elements * sizeof(Real), cudaMemcpyDeviceToHost);
    Real least = bounds[0];
    for (Index e = 1; e < mesh.elements; ++e)
        least = std::min(least, bounds[e]);
    return std::min(0.1 * least, 1.2 * dt);
}

// `energy` per mass in each of edge^3 elements, at the start and after the steps, the first of which takes `dt`;
// `places` of the nodes, three numbers each.
void lagrange_leapfrog(Real *energy, Real *places, Index edge, Index steps, Real dt)
{
    Domain domain(edge);
    const Material material;
    const Mesh &mesh = domain.mesh();
    std::vector<Real> bounds(mesh.elements);
    cudaMemcpy(mesh.energy, energy, mesh.elements * sizeof(Real), cudaMemcpyHostToDevice);
    place_nodes<<<blocks(mesh.nodes), 64>>>(mesh);
    weigh<<<blocks(mesh.elements), 64>>>(mesh, material);
    for (Index step = 0; step < steps; ++step) {
        lagrange_nodal(domain, material, dt);
        lagrange_elements(domain, material, dt);
        dt = time_step(domain, material, dt, bounds.data());
    }
    cudaMemcpy(energy, mesh.energy, mesh.elements * sizeof(Real), cudaMemcpyDeviceToHost);
    cudaMemcpy(places, mesh.position, mesh.nodes * sizeof(Vec), cudaMemcpyDeviceToHost);
}
