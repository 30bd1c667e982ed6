const double &larger(const double &a, const double &b) { return a > b ? a : b; }
double &first(double *p) { return p[0]; }
double f(double a, int n) { double u[2] = {a, 2}; first(u) += 3; first(u + 1) = larger(u[0], a); return u[0] * u[1]; }
