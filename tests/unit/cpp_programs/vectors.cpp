#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

struct Point {
    double x, y;
    int id;
};

struct Shape {
    std::vector<Point> points;
    std::vector<double> weights = {0.5, 0.25};
    double scale = 2.0;
    double area() const
    {
        double sum = 0.0;
        for (const Point &p : points)
            sum += p.x * p.y * scale;
        for (auto w : weights)
            sum += w;
        return sum;
    }
};

static std::vector<double> ramp(int n, double step)
{
    std::vector<double> v;
    for (int i = 0; i < n; ++i)
        v.push_back(i * step);
    return v;
}
static double total(std::vector<double> v)
{
    v.push_back(100.0);
    double sum = 0.0;
    for (double &e : v)
        sum += e *= 2;
    return sum;
}
static std::tuple<double, int, double> three(double a) { return std::make_tuple(a, 7, a * a); }

double f(double a, int n)
{
    std::vector<double> u = {1.0, a, 3.0}, w(4, a), e, copy;
    u.insert(u.begin() + 1, 9.0);
    u.emplace_back(u[1]);
    u.push_back(u[0]);
    double r = u.size() + u.back() + u.front();
    copy = u;
    copy.erase(copy.begin());
    copy.erase(copy.begin() + 1, copy.begin() + 3);
    copy.resize(5, 0.5);
    copy.resize(4);
    r += copy.size() * 1000 + std::accumulate(copy.begin(), copy.end(), 0.0);
    e = std::move(w);
    r += e.size() + w.size() * 3;
    w = ramp(6, a);
    w.swap(e);
    std::swap(w, u);
    r += total(u) + total(ramp(3, 2.0)) + w[2];
    e.assign({4.0, 5.0});
    e.assign(3, e[1]);
    e.pop_back();
    r += e.back() * e.size();
    e.clear();
    r += e.empty();
    std::vector<std::vector<double>> rows(3, ramp(n + 1, 0.5));
    rows.push_back(u);
    rows[0].push_back(a);
    rows[2] = rows[0];
    for (auto &row : rows)
        for (auto &v : row)
            v += 0.125;
    for (const auto &row : rows)
        r += std::accumulate(row.begin(), row.end(), 1.0, std::multiplies<>());
    Shape s;
    s.points.push_back({a, 2.0, 1});
    s.points.push_back(Point{1.0, a, 2});
    Shape t = s;
    t.points[0].x = 8.0;
    s.scale = 3.0;
    r += s.area() + 10 * t.area();
    std::vector<Shape> shapes(2, t);
    shapes.push_back(s);
    shapes[0] = shapes[2];
    r += shapes[0].area() + shapes[1].area();
    std::unique_ptr<Shape> owned(new Shape(t)), none;
    auto moved = std::move(owned);
    r += (owned ? 50 : 60) + moved->area();
    moved.reset(new Shape);
    r += moved->weights[1] + (none == nullptr ? 0.0 : 1.0);
    auto numbers = std::make_unique<double[]>(4);
    numbers[2] = a;
    r += numbers[0] + numbers[2];
    std::array<double, 4> fixed = {3.0, 1.0, 2.0};
    std::sort(fixed.begin(), fixed.end());
    std::sort(w.begin(), w.end(), [](double p, double q) { return p > q; });
    r += fixed[1] * 3 + w[0] + *std::max_element(w.begin(), w.end());
    std::partial_sum(w.begin(), w.end(), w.begin());
    std::transform(w.begin(), w.end(), w.begin(), [a](double v) { return v * a; });
    std::iota(fixed.begin(), fixed.end(), 5);
    r += std::inner_product(fixed.begin(), fixed.end(), w.begin(), 0.5);
    r += std::lower_bound(fixed.begin(), fixed.end(), 6.5) - fixed.begin();
    r += std::count_if(fixed.begin(), fixed.end(), [](double v) { return v > 5.5; });
    std::reverse(fixed.begin(), fixed.end());
    double p, q;
    int k;
    std::tie(p, k, q) = three(a);
    r += p + k * q + std::get<2>(three(2.0)) + std::exchange(p, 4.0) + p;
    std::complex<double> z(a, 1.0), c = std::conj(z) * z + 2.0 * z;
    c /= z - 0.5;
    return r + c.real() + 2 * c.imag() + std::abs(z) + std::clamp(a, 0.0, 1.0);
}
