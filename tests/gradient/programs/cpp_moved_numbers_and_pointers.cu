/*---
function = "run"
memory_limit = 100000
wrt = ["x"]
[inputs]
x = { shape = [9], random_uniform = 1, low = 0.4, high = 1.6 }
n = 9
---*/
// What T && takes of values and of what is moved, under a limit of memory: numbers, pointers to const, null.
#include <vector>
#include <utility>
#include <algorithm>
struct B { double v; }; struct D : B { double w; };
static void take(double &&v, double &s) { s += v * v; v = 0.5; }
static void takep(const double *&&p, double &s) { s += *p; ++p; s *= *p; }
static double *first(std::vector<double> &v) { return v.data(); }
double run(const double *x, int n)
{
    std::vector<double> q(x, x + n);
    std::vector<const double *> p; p.push_back(q.data()); p.push_back(&q[1]); double r[] = {x[0], 1}; p.push_back(r); p.push_back(first(q)); const double *d = p[0] == nullptr ? nullptr : r;
    p.push_back(nullptr); p.push_back(std::move(d)); p.push_back(n > 3 ? r : nullptr);
    double s = 0, a = x[1]; float f = x[2]; D w; w.v = x[3]; w.w = x[4]; std::pair<int, double> pr(3, x[5]);
    take(x[1] * 2, s); take(std::move(a), s); take(f, s); take(n, s); take(std::move(w).v, s); take(std::move(pr.second), s); take((double)a, s); take(a + 0, s); take(static_cast<double &&>(w.w), s);
    take(-a, s); take((double)std::max(a, s), s); take(n > 3 ? 1.0 : 2.0 * x[3], s); take(double(x[1]), s);  take(true, s); take('a', s);
    takep(&q[2], s); takep(r, s); takep(q.data() + 2, s);
    const double *z = x; takep(std::move(z), s);
    return s + a + w.v * w.w + pr.second * *p[3] * *p[1] + *p[5] * *p[6] + *z * f;
}
