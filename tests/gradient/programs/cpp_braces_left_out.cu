/*---
function = "run"
wrt = ["x"]
[inputs]
x = { shape = [9], random_uniform = 3, low = 0.4, high = 1.7 }
n = 9
---*/
// Lists that leave inner braces out: objects in them are copied, members take what they need of the elements.
#include <vector>
#include <array>
struct Doubled { double v; int k = 3; Doubled(double v) : v(v) {} Doubled(const Doubled &o) : v(o.v * 2), k(o.k) {} Doubled() : v(0.5) {} };
struct Q { Doubled a[2]; double z; };
struct R { double a, b; };
struct S { R r[2]; R one; double w = 1.5; const char *name[2]; };
struct Kept { double step; std::vector<double> w; Doubled d; };
struct T { R &r; std::array<double, 3> c; int m[2][2]; };
__global__ void k(double *o, S s) { o[threadIdx.x] *= s.r[1].a * s.one.b + s.w; }
double run(const double *x, int n)
{
    Doubled p(x[0]), q(x[1]);
    Q w{p, q, x[2]}, u{{p, q}, x[3]}, t{p}, e{};
    R r{x[4], x[5]};
    S s{x[0], x[1], r, x[2], x[3]}, s2 = {r, x[7], x[8], {x[1], x[1]}, x[6], "a", "b"};
    std::array<Doubled, 2> two{p, q};
    std::array<std::vector<double>, 2> vs{std::vector<double>(x, x + n), std::vector<double>(3, x[3])};
    T tt{r, x[4], x[5], 1.0, 1, 2, 3};
    tt.r.a *= 2;
    R rows[2] = {x[0], x[1], x[2], x[3]};
    double m[2][3] = {x[0], x[1], x[2], x[3], x[4]};
    Kept kept{x[6], {}, {}};
    kept.w.push_back(kept.step * kept.d.v);
    double *d;
    cudaMalloc(&d, 8 * 8);
    cudaMemcpy(d, x, 8 * 8, cudaMemcpyHostToDevice);
    k<<<1, 8>>>(d, s2);
    double h[8];
    cudaMemcpy(h, d, 64, cudaMemcpyDeviceToHost);
    cudaFree(d);
    vs[0][1] *= vs[1][2];
    vs[1] = vs[0];
    vs[1][0] *= 3;
    return kept.w[0] * kept.w.size() + h[3] * h[4] + w.a[1].v * u.a[0].v + w.z * t.a[0].v * t.a[1].v + e.a[0].v + r.a * r.b + s.r[1].b * s.one.a * s.w + s.r[0].b + two[1].v * two[0].k + vs[0][1] * vs[0][0] * vs[1][0]
        + tt.c[0] * tt.c[1] * tt.m[1][0] + rows[1].a * rows[0].b + m[1][1] * m[0][2] + m[1][2];
}
