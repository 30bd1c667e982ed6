double g(int x) { return x / 2; } double g(double x) { return x / 2; } double g(float x, int y = 7) { return x + y; }
double g(const double *p) { return p[0]; }
double f(double a, int n) { double u[1] = {a}; return g(5) + 10 * g(5.0) + 100 * g(5.0f) + g(u) + g('a') + g(n); }
