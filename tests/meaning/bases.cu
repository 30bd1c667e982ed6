// Bases of class templates whose members depend on parameters, constructors that are taken over, objects behind bases.
struct Base { double a; Base(double x) : a(x) {} Base(double x, int n) : a(x * n) {} };
struct Der : Base { using Base::Base; double c = 2; double f() { return a * a * c; } };
static double g1(double t) { Der d(t); Der e{t, 3}; Der *p = new Der(2 * t); double r = d.f() + e.f() + p->f(); delete p; return r; }
template <class T> struct TB { T a; TB(T x) : a(x) {} template <class U> TB(U x, T y) : a(x * y) {} };
template <class T> struct TD : TB<T> { using TB<T>::TB; T f() { return this->a * 3; } };
static double g2(double t) { TD<double> e(t); TD<double> f(2, t); return e.f() + f.f() + e.a; }
struct DD : Der { using Der::Der; };
static double g3(double t) { DD e(t, 4); return e.f(); }
template <class... B> struct Both : B... { template <class T> T all(T x) { return (B::f(x) + ...); } };
struct A1 { double k = 2; double f(double x) { return k * x; } };
struct A2 { double k = 3; double f(double x) { return k * x * x; } };
static double g4(double t) { Both<A1, A2> b; b.A1::k = t; return b.all(t); }
template <class T> struct Traits { typedef TB<T> base; };
template <class T> struct Q : Traits<T>::base { Q(T x) : Traits<T>::base(x) {} };
static double g5(double t) { Q<double> q(t); return q.a * t; }
template <class D, class T> struct Crtp { T run(T x) { return static_cast<D *>(this)->f(x) * k; } T k = 2; };
struct E1 : Crtp<E1, double> { double m; E1(double x) : m(x) {} double f(double x) { return m * x; } };
static double g6(double t) { E1 e(t); e.k = 3; return e.run(t); }
template <class T> struct E2 : Crtp<E2<T>, T> { T m; E2(T x) : m(x) {} T f(T x) { return m * x + this->k; } };
static double g7(double t) { E2<double> e(t); return e.run(t); }
namespace ns { template <class T, int N> class Arr { protected: T d[N]; public: T &operator[](int i) { return d[i]; } ~Arr() { d[0] = 0; } };
template <class T> class V3 : public Arr<T, 3> { public: V3(T a, T b, T c) { this->d[0] = a; (*this)[1] = b; Arr<T, 3>::d[2] = c; } T norm() const { T s = 0; for (const T &v : Arr<T, 3>::d) s += v * v; return s; } }; }
static double g8(double t) { ns::V3<double> v(t, 2, t); return v.norm() + v[2]; }
template <class T> struct L1 { T w; virtual T f(T x) const = 0; virtual ~L1() {} T g(T x) const { return f(x) + w; } };
template <class T> struct L2 : L1<T> { L2(T a) { this->w = a; } T f(T x) const override { return this->w * x; } };
template <class T, int N> struct L3 : L2<T> { T s[N]; L3(T a) : L2<T>(a) { for (int i = 0; i < N; ++i) s[i] = a * i; } T f(T x) const override { T r = L2<T>::f(x); for (int i = 0; i < N; ++i) r += s[i] * x; return r; } };
template <class T> T use(const L1<T> &l, T x) { return l.g(x) * 2; }
static double g9(double t) { L3<double, 3> l(t); L2<double> m(1.5); return use(l, t) + use(m, t) + use<double>(l, 2); }
static double g10(double t) { L2<double> m(t); L1<double> *p = &m; return p->g(t); }
struct Functor { double k; double operator()(double x) const { return k * x; } };
template <class F> struct Guard { double &r; F f; Guard(double &q, F g) : r(q), f(g) {} ~Guard() { r = f(r); } };
static double g11(double t) { double x = t; { Guard<Functor> g(x, Functor{3}); x += 1; } return x; }
struct HA { double a; double get() { return a; } };
struct B { double b; double two() { return 2 * b; } };
struct C : HA, B { double c; double all() { HA *p = this; B *q = static_cast<B *>(this); B *r = (B *)this; return p->a + q->b + r->b * c; } };
static double g12(double t) { C c; c.a = t; c.b = 2 * t; c.c = t * t; C *p = &c; B *q = static_cast<B *>(p); B *r = p; q->b += 1; B &s = static_cast<B &>(c); s.b *= 2; return c.all() + r->two() + ((B *)&c)->b; }
template <class T> struct TA { T a; T get() { return a; } };
template <class T> struct TC : TA<T>, B { T all() { TA<T> *p = this; B *q = static_cast<B *>(this); return p->get() + q->b; } };
static double g13(double t) { TC<double> c; c.a = t; c.b = 2 * t; TC<double> *p = &c; B *q = static_cast<B *>(p); return c.all() + q->two() + c.TA<double>::get() + p->B::two(); }
template <class F> struct Apply { F f; double operator()(double x) { return f(x) * 2; } };
template <class F> struct Twice : Apply<F> { Twice(F g) : Apply<F>{g} {} double run(double x) { return (*this)(x) + this->operator()(x); } };
static double g14(double t) { auto l = [=](double x) { return x * t; }; Apply<decltype(l)> a{l}; return a(t); }
struct K { double k; double operator()(double x) const { return k * x; } };
static double g15(double t) { Twice<K> a(K{t}); return a.run(t); }
