struct S { static constexpr double scale = 2.5; static const int n = 4; static double apply(double v) { return v * scale; } };
namespace a { constexpr double k = 2; namespace b { double k2(double v) { return v * k; } } }
namespace c = a::b; using namespace a;
double f(double a, int n) { return S::apply(a) + S::n + c::k2(a) + k; }
