/*---
function = "render"
wrt = ["centres", "albedo"]
of = ["image"]
[inputs]
centres = { shape = [9], random = 3 }
albedo = { shape = [3], random = 4 }
image = { zeros = [24] }
width = 6
height = 4
---*/
// A small ray tracer: a template of vectors with a base that stores, surfaces chosen by tags, a material that a functor
// of a functor mixes, records returned by value, static members, nested classes and enumerations.
template <class T> struct Triple {
    T x, y, z;
};
template <class T> struct Vec : Triple<T> {
    __host__ __device__ Vec(T a, T b, T c)
    {
        this->x = a;
        this->y = b;
        this->z = c;
    }
    __host__ __device__ explicit Vec(T a = T(0)) : Vec(a, a, a) {}
    __host__ __device__ Vec operator+(const Vec &o) const { return {this->x + o.x, this->y + o.y, this->z + o.z}; }
    __host__ __device__ Vec operator-(const Vec &o) const { return {this->x - o.x, this->y - o.y, this->z - o.z}; }
    __host__ __device__ Vec operator*(T s) const { return {this->x * s, this->y * s, this->z * s}; }
    __host__ __device__ T dot(const Vec &o) const { return this->x * o.x + this->y * o.y + this->z * o.z; }
    __host__ __device__ Vec unit() const { return *this * (T(1) / sqrt(dot(*this))); }
};
using Vec3 = Vec<double>;

struct Ray {
    Vec3 from, to;
    __host__ __device__ Ray(const Vec3 &f, const Vec3 &t) : from(f), to(t.unit()) {}
    __host__ __device__ Vec3 at(double t) const { return from + to * t; }
};
struct Scene {
    enum class Kind : unsigned char { Nothing, Ball, Floor };
    struct Hit {
        Kind kind = Kind::Nothing;
        double distance = far;
        int number = -1;
    };
    static constexpr double far = 1e3;
    static constexpr int balls = 3;
    const double *centres;
    __device__ Vec3 centre(int i) const { return Vec3(centres[3 * i], centres[3 * i + 1], centres[3 * i + 2] + 3.0); }
    __device__ Hit nearest(const Ray &ray) const
    {
        Hit hit;
        for (int i = 0; i < balls; ++i) {
            const Vec3 o = ray.from - centre(i);
            const double b = o.dot(ray.to), c = o.dot(o) - 0.8, d = b * b - c;
            if (d <= 0.0)
                continue;
            const double t = -b - sqrt(d);
            if (t > 0.0 && t < hit.distance)
                hit = Hit{Kind::Ball, t, i};
        }
        if (ray.to.y < -0.05) {
            const double t = -(ray.from.y + 1.5) / ray.to.y;
            if (t > 0.0 && t < hit.distance)
                hit = {Kind::Floor, t, 0};
        }
        return hit;
    }
};
template <class Inner> struct Faded {
    Inner inner;
    double rate;
    __device__ double operator()(double cosine, double distance) const { return inner(cosine) * exp(-rate * distance); }
};
struct Lambert {
    double floor_of;
    __device__ double operator()(double cosine) const { return cosine > 0.0 ? cosine + floor_of : floor_of; }
};

template <class Shade> __global__ void trace(double *image, Scene scene, const double *albedo, Shade shade, int w, int h)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h)
        return;
    const Ray ray(Vec3(), Vec3((i + 0.5) / w - 0.5, (j + 0.5) / h - 0.6, 1.0));
    const Scene::Hit hit = scene.nearest(ray);
    const Vec3 light = Vec3(0.5, 1.0, -0.7).unit();
    double value = 0.1;
    switch (hit.kind) {
    case Scene::Kind::Ball: {
        const Vec3 normal = (ray.at(hit.distance) - scene.centre(hit.number)).unit();
        value = albedo[hit.number] * shade(normal.dot(light), hit.distance);
        break;
    }
    case Scene::Kind::Floor:
        value = 0.3 * shade(light.y, hit.distance) + 0.01 * ray.at(hit.distance).x * albedo[0];
        break;
    case Scene::Kind::Nothing:
        break;
    }
    image[j * w + i] = value;
}

void render(double *centres, double *albedo, double *image, int width, int height)
{
    const Faded<Lambert> shade{{0.2}, 0.15};
    const Scene scene{centres};
    trace<<<dim3((width + 3) / 4, (height + 1) / 2), dim3(4, 2)>>>(image, scene, albedo, shade, width, height);
}
