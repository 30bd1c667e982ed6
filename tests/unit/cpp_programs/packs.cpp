template <class... T> double sum(T... v) { return (v + ... + 0.5); }
template <int... I> int largest() { int m = 0; ((m = I > m ? I : m), ...); return m; }
double f(double a, int n) { return sum(a, n, 2.0f) + largest<3, 9, 4>() + sum(); }
