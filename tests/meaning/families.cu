// Objects of several classes behind pointers that are kept: which class an object has, only the run tells.
#include <memory>
#include <vector>
struct Shape { virtual double area(double t) const = 0; virtual ~Shape() {} double twice(double t) const { return 2 * area(t); } double tag = 0.5; };
struct Sq : Shape { double a; Sq(double v) : a(v) {} double area(double t) const override { return a * t * t; } };
struct Ci : Shape { double r; Ci(double v) : r(v) { tag = v; } double area(double t) const override { return 3.14 * r * t + tag; } };
static double g1(double t) { Shape *s = new Sq(2.0 * t); double r = s->area(t); delete s; return r; }
static double g2(double t) { Shape *s[2] = {new Sq(2.0 * t), new Ci(1.5)}; double r = 0; for (int i = 0; i < 2; ++i) r += s[i]->twice(t) + s[i]->tag * t; for (int i = 0; i < 2; ++i) delete s[i]; return r; }
static double total(const std::vector<Shape *> &v, double t) { double r = 0; for (const Shape *s : v) r += s->area(t); return r; }
static double g3(double t) { std::vector<Shape *> v; v.push_back(new Sq(t)); v.push_back(new Ci(2 * t)); v.push_back(new Sq(3)); double r = total(v, t); for (Shape *s : v) delete s; return r; }
static double g4(double t) { std::vector<std::unique_ptr<Shape>> v; v.push_back(std::make_unique<Sq>(t)); v.push_back(std::make_unique<Ci>(2 * t)); double r = 0; for (auto &s : v) r += s->area(t); return r; }
static double g5(double t) { Shape *s; if (t > 0) s = new Sq(t); else s = new Ci(t); s->tag += t; double r = s->area(t) * s->tag; Sq local(t); r += local.area(2.0); delete s; return r; }
static double use(Shape &s, double t) { s.tag *= 2; return s.twice(t); }
static double g6(double t) { Sq *q = new Sq(t); q->a *= 2; double r = use(*q, t) + q->a + q->tag; Shape *b = q; r += b->area(1.0); delete b; return r; }
struct Layer { virtual double run(double x) = 0; virtual void update(double h) {} virtual ~Layer() {} };
struct Dense : Layer { double *w; int n; Dense(int m, double v) : n(m) { w = new double[m]; for (int i = 0; i < m; ++i) w[i] = v * i; } ~Dense() { delete[] w; } double run(double x) override { double s = 0; for (int i = 0; i < n; ++i) s += w[i] * x; return s; } void update(double h) override { for (int i = 0; i < n; ++i) w[i] -= h * w[i]; } };
struct Tanh : Layer { double k; Tanh(double a) : k(a) {} double run(double x) override { return k * x / (1 + x * x); } };
struct Net { std::vector<Layer *> layers; ~Net() { for (Layer *l : layers) delete l; } void add(Layer *l) { layers.push_back(l); } double run(double x) { for (auto *l : layers) x = l->run(x); return x; } void step() { for (size_t i = 0; i < layers.size(); ++i) layers[i]->update(0.1); } };
static double g7(double t) { Net net; net.add(new Dense(3, t)); net.add(new Tanh(2.0)); net.add(new Dense(2, 1.5)); double a = net.run(t); net.step(); return a + net.run(0.5); }
struct Root { double base = 1; virtual double f(double x) { return base * x; } virtual Root &set(double b) { base = b; return *this; } virtual ~Root() {} };
struct Mid : Root { double m; Mid(double v) : m(v) {} double f(double x) override { return m + Root::f(x); } };
struct Leaf : Mid { double l; Leaf(double v) : Mid(v), l(2 * v) { base = 3; } double f(double x) override { return l * Mid::f(x); } };
template <class T> struct Box : Root { T held; Box(T v) : held(v) {} double f(double x) override { return held * x * x; } };
static Root *make(int kind, double t) { switch (kind) { case 0: return new Root; case 1: return new Mid(t); case 2: return new Leaf(t); default: return new Box<double>(t); } }
static double g8(double t) { double s = 0; for (int k = 0; k < 4; ++k) { Root *r = make(k, t); s += r->f(t); s += r->f(2) * r->base; delete r; } return s; }
static double g9(double t) { Mid *m = new Leaf(t); Mid *k = new Mid(t); Root *both[2] = {m, k}; double s = m->m; for (Root *r : both) { s += r->f(t); delete r; } return s; }
struct Owner { Root *r; Owner(int k, double t) : r(make(k, t)) {} ~Owner() { delete r; } double go(double x) const { return r ? r->f(x) : 0; } };
static double g10(double t) { Owner a(1, t), b(3, t * t); return a.go(t) + b.go(2) * a.r->base; }
static double g11(double t) { Root *r = make(2, t); Leaf *l = static_cast<Leaf *>(r); l->l += 1; l->m *= t; double s = r->f(t) + l->base; delete r; return s; }
struct Law { double c = 1; virtual double of(double x) const = 0; virtual ~Law() {} };
struct Linear : Law { double k; Linear(double v) : k(v) {} double of(double x) const override { return k * x; } };
struct Cubic : Law { double k; Cubic(double v) : k(v) {} double of(double x) const override { return k * x * x * x; } };
static double g12(double t) { Law *p = new Linear(t), *q = new Cubic(t); Law *h = p; p = q; q = h; double r = p->of(t) * q->of(2); delete p; delete q; return r; }
static double g13(double t) { Law *p = nullptr; double r = p ? p->of(t) : t; delete p; return r; }
static double by_ref(const Law &l, double x) { return l.of(x) * l.c; }
static double g14(double t) { Linear v(t); Law *p = new Cubic(t); double r = by_ref(v, t) + by_ref(*p, t); delete p; return r; }
static double g15(double t) { Law *p[3]; for (int i = 0; i < 3; ++i) { if (i % 2) p[i] = new Linear(t * i); else p[i] = new Cubic(t + i); p[i]->c = t * i; } double r = 0; for (int i = 2; i >= 0; --i) { Law &l = *p[i]; r += by_ref(l, t) + l.c; } for (Law *l : p) delete l; return r; }
static double g16(double t) { Law *p = new Linear(t); Law *const c = p; const Law *k = new Cubic(3); return c->of(t) + k->of(t) + p->c; }
