// Arrays of objects on the heap, constructed one after the other or given by a list.
struct P { double x, y; P(double a, double b) : x(a), y(b) {} P() : x(1), y(2) {} };
static double g1(double t) { P *p = new P[3]; p[1].x = t; double r = 0; for (int i = 0; i < 3; ++i) r += p[i].x * p[i].y; delete[] p; return r; }
static double g2(double t) { double *p = new double[3]{t, 2 * t, 3}; double r = p[0] * p[1] + p[2]; delete[] p; return r; }
static double g3(double t) { P *p = new P[2]{{t, 2}, P(3, t)}; double r = p[0].x * p[1].y; delete[] p; return r; }
static double g5(double t) { int n = t > 0 ? 5 : 2; P *p = new P[n]; for (int i = 0; i < n; ++i) p[i].x += t * i; double r = 0; for (int i = 0; i < n; ++i) r += p[i].x * p[i].y; delete[] p; return r; }
struct D { double v = 2.5; int k{3}; };
static double g6(double t) { D *d = new D[3]; D *e = new D[2](); d[1].v = t; double r = d[0].v * d[1].v + d[2].k + e[1].v; delete[] d; delete[] e; return r; }
struct H { P *p; int n; H(int m) : p(new P[m]), n(m) {} ~H() { delete[] p; } double f(double t) { for (int i = 0; i < n; ++i) p[i].y = t * i; double s = 0; for (int i = 0; i < n; ++i) s += p[i].x * p[i].y; return s; } };
static double g7(double t) { H h(4); return h.f(t); }
template <class T> struct Buf { T *d; int n; Buf() : d(nullptr), n(0) {} explicit Buf(int m) : d(new T[m]), n(m) { for (int i = 0; i < m; ++i) d[i] = T(i); } ~Buf() { delete[] d; } };
static double g8(double t) { Buf<double> *b = new Buf<double>(3); b->d[1] = t; double r = b->d[1] * b->d[2]; delete b; return r; }
static double g9(double t) { P *p = new P; p->x = t; P *q = new P(*p); q->y = 4; double r = p->x * p->y + q->x * q->y; delete p; delete q; return r; }
static double g4(double t) { double *z = new double[4](); z[1] = t; double r = z[0] + z[1] * z[1] + z[3]; delete[] z; P *k = new P[3](); r += k[2].y; delete[] k; return r; }
static int counted = 0;
struct Counted { int n; double v; Counted() : n(++counted), v(0.5 * counted) {} };
static double g10(double t) { counted = 0; int m = 3; Counted *c = new Counted[m * 2]; double r = 0; for (int i = 0; i < m * 2; ++i) r += c[i].v * t + c[i].n; delete[] c; return r + counted; }
static double g11(double t) { int n = t > 5 ? 4 : 0; Counted *c = new Counted[n]; double r = t + n; delete[] c; return r; }
