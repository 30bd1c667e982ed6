int x = 100;
namespace a { int x = 1; double g(double v) { return v + x; } namespace { double hidden(double v) { return v * 3; } } }
namespace b { int x = 2; double g(double v) { return v + x * 10; } }
struct x_holder { static int x() { return 5; } };
inline namespace v1 { struct T { double v; enum { K = 7 }; typedef double real; using other = int; }; }
double f(double v, int n)
{
    double r = a::g(v) + b::g(v) + a::hidden(v) + ::x;
    int x = 3;
    {
        double x = 0.25;
        r += x + ::x + a::x;
        using b::g;
        r += g(1);
    }
    ::x += 1;
    T::real t = T::K;
    T::other o = 2.9;
    for (int x = 0; x < 2; ++x)
        r += x;
    return r + x + x_holder::x() + t + o + ::x;
}
