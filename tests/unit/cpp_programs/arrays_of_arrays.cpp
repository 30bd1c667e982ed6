template <int N, int M> double sum(const double (&m)[N][M]) { double s = 0; for (auto &row : m) for (double v : row) s += v; return s * N; }
template <class T, unsigned N> constexpr unsigned size(T (&)[N]) { return N; }
double f(double a, int n)
{
    double m[2][3] = {{a, 2, 3}, {4}}, *p = &m[1][0], (*q)[3] = m;
    p[1] = 5;
    q[1][2] = 6;
    double copy[2][3];
    for (unsigned i = 0; i < size(m); ++i)
        for (int j = 0; j < 3; ++j)
            copy[i][j] = m[i][j] * j;
    int idx[] = {2, 0, 1};
    return sum(m) + sum(copy) + m[0][idx[0]] + sizeof(m) + sizeof(idx) / sizeof(*idx) + (&m[1][2] - *m);
}
