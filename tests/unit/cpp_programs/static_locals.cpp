int next() { static int n = 0; n += 2; return n; }
template <class T> int each() { static int n = 5; return ++n; }
double f(double a, int n) { int x = next(), y = next(); each<int>(); return a + (y - x) + (each<int>() - each<float>() > 100); }
