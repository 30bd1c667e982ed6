/*---
function = "render"
wrt = ["centre", "light"]
of = ["image"]
[inputs]
image = { zeros = [30] }
centre = { shape = [6], random_uniform = 2, low = -0.3, high = 0.3 }
light = { shape = [3], random_uniform = 3, low = 0.4, high = 1.0 }
width = 6
height = 5
---*/
// Ray marching through signed distances: a vector class, shapes as classes without virtual functions, a scene as a pack.
struct Vec3 {
    double x, y, z;
    __host__ __device__ Vec3(double v = 0) : x(v), y(v), z(v) {}
    __host__ __device__ Vec3(double a, double b, double c) : x(a), y(b), z(c) {}
    __host__ __device__ Vec3 operator+(const Vec3 &o) const { return Vec3(x + o.x, y + o.y, z + o.z); }
    __host__ __device__ Vec3 operator-(const Vec3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
    __host__ __device__ Vec3 operator-() const { return {-x, -y, -z}; }
    __host__ __device__ Vec3 &operator*=(double s)
    {
        x *= s;
        y *= s;
        z *= s;
        return *this;
    }
    friend __host__ __device__ Vec3 operator*(Vec3 v, double s) { return v *= s; }
    friend __host__ __device__ Vec3 operator*(double s, Vec3 v) { return v *= s; }
    __host__ __device__ double dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ double length() const { return sqrt(dot(*this)); }
    __host__ __device__ Vec3 normalized() const { return *this * (1.0 / length()); }
};

struct Sphere {
    Vec3 centre;
    double radius;
    __device__ double distance(const Vec3 &p) const { return (p - centre).length() - radius; }
};
struct Plane {
    double height;
    __device__ double distance(const Vec3 &p) const { return p.y - height; }
};

__device__ double blend(double a, double b)
{
    const double k = 0.5, h = fmax(k - fabs(a - b), 0.0) / k;
    return fmin(a, b) - h * h * k * 0.25;
}

template <class S> __device__ double nearest(const Vec3 &p, const S &shape) { return shape.distance(p); }
template <class S, class... Rest> __device__ double nearest(const Vec3 &p, const S &shape, const Rest &...rest)
{
    return blend(shape.distance(p), nearest(p, rest...));
}

__global__ void render_kernel(double *image, const double *centre, const double *light, int width, int height)
{
    const int px = threadIdx.x + blockIdx.x * blockDim.x, py = threadIdx.y + blockIdx.y * blockDim.y;
    if (px >= width || py >= height)
        return;
    const Sphere ball{Vec3(centre[0], centre[1], centre[2]), 0.8}, second{{centre[3], centre[4], centre[5] + 1.0}, 0.5};
    const Plane ground{-1.2};
    const Vec3 eye(0.0, 0.2, -3.0);
    const auto ray = Vec3((px - 0.5 * width) / width, (py - 0.5 * height) / height, 1.0).normalized();
    double t = 0.3;
    for (int s = 0; s < 12; ++s)
        t += 0.9 * nearest(eye + t * ray, ball, second, ground);
    const Vec3 hit = eye + ray * t;
    const double e = 1e-2;
    auto field = [&](double dx, double dy, double dz) { return nearest(hit + Vec3(dx, dy, dz), ball, second, ground); };
    const Vec3 normal(field(e, 0, 0) - field(-e, 0, 0), field(0, e, 0) - field(0, -e, 0), field(0, 0, e) - field(0, 0, -e));
    const Vec3 to_light = Vec3(light[0], light[1], light[2]).normalized();
    image[py * width + px] = normal.normalized().dot(to_light) * exp(-0.05 * t) + 0.1 * (-ray).dot(to_light);
}

void render(double *image, const double *centre, const double *light, int width, int height)
{
    double *d_image, *d_centre, *d_light;
    cudaMalloc(&d_image, width * height * sizeof(double));
    cudaMalloc(&d_centre, 6 * sizeof(double));
    cudaMalloc(&d_light, sizeof(double) * 3);
    cudaMemcpy(d_centre, centre, 6 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_light, light, 3 * sizeof(double), cudaMemcpyHostToDevice);
    const dim3 block{4, 2};
    render_kernel<<<dim3((width + 3) / 4, (height + 1) / 2), block>>>(d_image, d_centre, d_light, width, height);
    cudaMemcpy(image, d_image, width * height * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_image);
    cudaFree(d_centre);
    cudaFree(d_light);
}
