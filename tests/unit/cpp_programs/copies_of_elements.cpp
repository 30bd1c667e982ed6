double f(double a, int n) { double xs[3] = {a, 2, 3}; for (double x : xs) x *= 2; for (auto &x : xs) x += 1;
    return xs[0] + 10 * xs[1] + 100 * xs[2]; }
