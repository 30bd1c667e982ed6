double f(double a, int n) { double sum = 0; const int k = 3; double u[2] = {a, 2};
    auto add = [&](double v) { sum += v * k; }; auto keep = [=](double v) { return v * a + u[1]; };
    auto own = [&sum, b = a * 2](int i) mutable { b += i; sum += b; return b; };
    add(2); a = 100; u[1] = 50; add(keep(1)); own(1); return sum + own(2) + keep(2); }
