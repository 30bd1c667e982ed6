constexpr double scale = 1.5;
struct O { double a; int k; O(double x, int y = 4) : a(x), k(y) {} double get(double w = scale, int more = 1) const { return a * w + k * more; } };
double g(double x, double y = 2 * scale, O o = O(3)) { return x + y * o.get(); }
template <class T> T h(T x, T y = T(3)) { return x * y; }
double f(double a, int n) { return g(a) + g(a, 1) + g(1, 1, 5.0) + O(a).get() + O(a, 2).get(2, n) + h(2) + h(a) + h(2.5, 2.0); }
