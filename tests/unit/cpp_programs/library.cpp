#include <array>
#include <limits>
#include <type_traits>
#include <utility>
template <class T> T smallest(const std::array<T, 3> &v)
{
    T m = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < v.size(); ++i)
        m = v[i] < m ? v[i] : m;
    return m;
}
template <class T> std::enable_if_t<std::is_floating_point<T>::value, T> half(T v) { return v / 2; }
template <class T> std::enable_if_t<std::is_integral_v<T>, double> half(T v) { return v / 2 + 100; }
std::pair<double, int> split(double v) { return std::make_pair(v * 2, 3); }
double f(double a, int n)
{
    std::array<double, 3> u = {a, 2, 3};
    std::array<int, 3> k{{4, 2, 9}};
    u[1] += 0.5;
    u.back() = u.front() * 2;
    std::array<double, 3> w = u;
    w.fill(u[0]);
    auto p = split(a);
    std::pair<int, double> q{n, a};
    using T = std::conditional_t<(sizeof(int) > 2), double, float>;
    T t = q.second;
    double r = std::is_same<T, double>::value ? 7 : 8;
    if (a > std::numeric_limits<double>::infinity() || n == std::numeric_limits<int>::min())
        r += 1000;
    return smallest(u) + smallest(k) + w[2] + p.first * p.second + q.first + half(a) + half(n) + r + t + u.data()[1]
        + std::numeric_limits<unsigned char>::max() + std::numeric_limits<short>::lowest() + std::numeric_limits<float>::epsilon();
}
