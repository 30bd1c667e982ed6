/*---
function = "trace"
wrt = ["origin", "spheres"]
[inputs]
origin = { shape = [3], random = 1 }
spheres = { shape = [5, 4], random_uniform = 2, low = 0.5, high = 2.0 }
count = 5
---*/
// Rays that may hit nothing: std::optional as result, in conditions, compared, with another value.
#include <cmath>
#include <optional>
#include <vector>
#include <tuple>
struct vec3 {
    double x, y, z;
};
inline vec3 operator-(vec3 a, vec3 b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline double dot(const vec3 &a, const vec3 &b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
struct Sphere {
    vec3 center;
    double radius;
};
std::optional<double> hit(const Sphere &s, const vec3 &o, const vec3 &d)
{
    const vec3 oc = o - s.center;
    const double b = dot(oc, d), c = dot(oc, oc) - s.radius * s.radius, disc = b * b - dot(d, d) * c;
    if (disc < 0)
        return std::nullopt;
    return (-b - std::sqrt(disc)) / dot(d, d);
}
double trace(const double *origin, const double *spheres, int count)
{
    std::vector<Sphere> scene;
    for (int i = 0; i < count; ++i)
        scene.push_back({{spheres[4 * i], spheres[4 * i + 1], spheres[4 * i + 2]}, spheres[4 * i + 3]});
    const vec3 o{origin[0], origin[1], origin[2] - 6.0};
    double total = 0;
    for (int a = 0; a < 6; ++a) {
        const vec3 d{0.1 * a, 0.25 - 0.03 * a, 1.0};
        std::optional<double> nearest;
        for (const auto &s : scene)
            if (auto t = hit(s, o, d); t && (!nearest || *t < *nearest))
                nearest = t;
        total += nearest.value_or(0.1) * (nearest.has_value() ? 1.5 : 0.5);
    }
    return total;
}
