struct V { double x, y; void scale(const double &s) { x *= s; y *= s; } };
double f(double a, int n) { V v{a, 3}; v.scale(v.x); return v.x + 10 * v.y; }
