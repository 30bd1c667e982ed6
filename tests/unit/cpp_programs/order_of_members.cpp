struct S { double x; double y; double z; S(double v) : x(v), y(x * 2), z(y + x) { z += y; } };
double f(double a, int n) { S s(a); S t = s; t.x = 0; s = t; return s.x + s.y * 10 + s.z; }
