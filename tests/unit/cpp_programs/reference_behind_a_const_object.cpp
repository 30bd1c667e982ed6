struct P { double *p; void add(const double &s) const { p[0] += s; p[1] += s; } };
double f(double a, int n) { double u[2] = {a, 1}; P p{u}; p.add(p.p[0]); return u[0] + 10 * u[1]; }
