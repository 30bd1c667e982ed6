template <class T, int N = 2> struct Array { T data[N]; T &operator[](int i) { return data[i]; }
    const T &operator[](int i) const { return data[i]; } static constexpr int size = N; };
template <class T> struct Array<T, 1> { T data[1]; T operator[](int) const { return data[0] * 100; } static constexpr int size = 1; };
template <class T> double total(const T &x) { double s = 0; for (int i = 0; i < T::size; ++i) s += x[i]; return s; }
template <> double total<Array<int, 3>>(const Array<int, 3> &x) { return -x[0]; }
double f(double a, int n) { Array<double> p{{a, 2}}; p[1] += 1; Array<float, 1> q{{3}}; Array<int, 3> r{{4, 5, 6}};
    return total(p) + total(q) + total(r); }
