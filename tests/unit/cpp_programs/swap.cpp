namespace std { template <class T> void swap(T &, T &); }
double f(double a, int n) { double b = 3, u[2] = {1, a}; { double t = a; a = b; b = t; } return a + 10 * b + u[1]; }
