double f(double a, int n) { int i = 0, j = 10; for (; i < j; ++i, --j) a += i; if (int k = n * 2; k > 3) a += k;
    if (double v = a - 1) a += v; while (n --> 0) { if (n == 1) continue; a += n; } do { a += 1; } while (++i < 8);
    return i > 3 && (a += 1) > 2 ? a : -a; }
