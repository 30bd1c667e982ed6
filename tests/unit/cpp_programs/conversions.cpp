struct Angle { double v; operator double() const { return v * 2; } explicit operator bool() const { return v > 1; } };
struct Length { double v; Length(double x) : v(x + 0.5) {} };
double take(Length l) { return l.v; }
double f(double a, int n) { Angle x{a}; double y = x; return y + (x ? 10 : 20) + take(a) + take(3) + x * 3; }
