/*---
function = "rigid_bodies"
wrt = ["orientation", "spin", "inertia"]
of = ["orientation", "spin"]
[inputs]
orientation = { shape = [20], random_uniform = 1, low = 0.2, high = 1.0 }
spin = { shape = [15], random = 2 }
inertia = { shape = [3], random_uniform = 3, low = 0.5, high = 1.5 }
n = 5
---*/
// Rigid bodies: quaternions and matrices with operators, conversions, free and member functions, a hierarchy of bases.
namespace geometry {

struct Vec3 {
    double x = 0, y = 0, z = 0;
    __host__ __device__ double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
__host__ __device__ inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__host__ __device__ inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__host__ __device__ inline Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ inline Vec3 operator^(Vec3 a, Vec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Quaternion {
    double w;
    Vec3 v;
    __host__ __device__ Quaternion(double w_, Vec3 v_) : w(w_), v(v_) {}
    __host__ __device__ explicit Quaternion(Vec3 v_) : Quaternion(0.0, v_) {}
    __host__ __device__ double norm2() const { return w * w + v.x * v.x + v.y * v.y + v.z * v.z; }
    __host__ __device__ Quaternion operator~() const { return {w, -1.0 * v}; }
    __host__ __device__ Quaternion operator*(const Quaternion &o) const
    {
        return {w * o.w - v.x * o.v.x - v.y * o.v.y - v.z * o.v.z, w * o.v + o.w * v + (v ^ o.v)};
    }
    __host__ __device__ Quaternion &operator*=(const Quaternion &o) { return *this = *this * o; }
};

struct Mat3 {
    Vec3 rows[3];
    __host__ __device__ Vec3 operator*(const Vec3 &a) const
    {
        Vec3 out;
        double *o = &out.x;
        for (int r = 0; r < 3; ++r)
            o[r] = rows[r].x * a.x + rows[r].y * a.y + rows[r].z * a.z;
        return out;
    }
    __host__ __device__ static Mat3 diagonal(double a, double b, double c)
    {
        Mat3 m = {};
        m.rows[0].x = a;
        m.rows[1].y = b;
        m.rows[2].z = c;
        return m;
    }
};

}  // namespace geometry

using geometry::Quaternion;
using geometry::Vec3;

__global__ void rotate(double *orientation, double *spin, const double *inertia, double dt, int n)
{
    using namespace geometry;
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    Quaternion q(orientation[4 * i], Vec3{orientation[4 * i + 1], orientation[4 * i + 2], orientation[4 * i + 3]});
    Vec3 w{spin[3 * i], spin[3 * i + 1], spin[3 * i + 2]};
    const Mat3 j = Mat3::diagonal(inertia[0], inertia[1], inertia[2]);
    const Mat3 inverse = Mat3::diagonal(1 / inertia[0], 1 / inertia[1], 1 / inertia[2]);
    for (int s = 0; s < 3; ++s) {
        w = w - dt * (inverse * (w ^ (j * w)));
        q = Quaternion(q.w, q.v + 0.5 * dt * (Quaternion(w) * q).v);
        q *= Quaternion(1.0 / sqrt(q.norm2()), Vec3{});
    }
    const auto turned = (q * Quaternion(w) * ~q).v;
    orientation[4 * i] = q.w;
    for (int d = 0; d < 3; ++d) {
        orientation[4 * i + 1 + d] = q.v[d];
        spin[3 * i + d] = turned[d];
    }
}

void rigid_bodies(double *orientation, double *spin, const double *inertia, int n)
{
    double *o, *s, *j;
    cudaMalloc(&o, 4 * n * sizeof(double));
    cudaMalloc(&s, 3 * n * sizeof(double));
    cudaMalloc(&j, 3 * sizeof(double));
    cudaMemcpy(o, orientation, 4 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(s, spin, 3 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(j, inertia, 3 * sizeof(double), cudaMemcpyHostToDevice);
    rotate<<<2, 3>>>(o, s, j, 0.1, n);
    cudaMemcpy(orientation, o, 4 * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(spin, s, 3 * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(o);
    cudaFree(s);
    cudaFree(j);
}
