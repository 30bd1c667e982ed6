constexpr int square(int x) { return x * x; } template <int N> struct F { static constexpr long v = N * F<N - 1>::v; };
template <> struct F<0> { static constexpr long v = 1; }; constexpr double table[] = {1.5, 2.5, square(3)};
double f(double a, int n) { double u[square(2)] = {a}; constexpr auto big = F<10>::v; return u[0] + u[3] + big + table[2] + 0x1p-2 + 1'000 + 'a' + 017; }
