/*---
function = "energy"
wrt = ["x", "m"]
of = ["f"]
[inputs]
f = { zeros = [24] }
x = { shape = [24], random = 1 }
m = { shape = [8], random_uniform = 2, low = 0.5, high = 1.5 }
n = 8
---*/
// A class of vectors with constructors, operators, overloads and methods, in a namespace; a pairwise force.
namespace geometry {
struct Vec3 {
    double x, y, z;
    __host__ __device__ Vec3() : x(0), y(0), z(0) {}
    __host__ __device__ Vec3(double a, double b, double c) : x(a), y(b), z(c) {}
    __host__ __device__ explicit Vec3(const double *p) : x(p[0]), y(p[1]), z(p[2]) {}
    __host__ __device__ Vec3 operator+(const Vec3 &o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
    __host__ __device__ Vec3 operator-(const Vec3 &o) const { return Vec3(x - o.x, y - o.y, z - o.z); }
    __host__ __device__ Vec3 operator-() const { return {-x, -y, -z}; }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o)
    {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    __host__ __device__ double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ double norm2() const { return this->dot(*this); }
};

__host__ __device__ inline Vec3 operator*(double s, const Vec3 &v) { return Vec3(s * v.x, s * v.y, s * v.z); }
__host__ __device__ inline Vec3 operator*(const Vec3 &v, double s) { return s * v; }
}  // namespace geometry

using geometry::Vec3;

__device__ double weight(double r2, double soft = 0.1) { return 1.0 / (r2 + soft); }
__device__ double weight(int same) { return same ? 0.0 : 1.0; }

__global__ void force_kernel(double *f, const double *x, const double *m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Vec3 here(x + 3 * i), sum;
    for (int j = 0; j < n; ++j) {
        Vec3 d = Vec3(&x[3 * j]) - here;
        sum += (weight(d.norm2()) * weight(int(i == j)) * m[j]) * d + -d * 0.01;
    }
    f[3 * i] = sum.x;
    f[3 * i + 1] = sum.y;
    f[3 * i + 2] = sum.dot(here);
}

void energy(double *f, const double *x, const double *m, int n)
{
    double *d_f, *d_x, *d_m;
    cudaMalloc(&d_f, 3 * n * sizeof(double));
    cudaMalloc(&d_x, 3 * n * sizeof(double));
    cudaMalloc(&d_m, n * sizeof(double));
    cudaMemcpy(d_x, x, 3 * n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_m, m, n * sizeof(double), cudaMemcpyHostToDevice);
    force_kernel<<<1, 32>>>(d_f, d_x, d_m, n);
    cudaMemcpy(f, d_f, 3 * n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_f);
    cudaFree(d_x);
    cudaFree(d_m);
}
