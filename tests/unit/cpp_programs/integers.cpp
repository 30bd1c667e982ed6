double f(double a, int n) { unsigned u = n; auto d = u - 10u; long l = -1; auto m = l + u; short s = 70000 - 4464;
    auto t = s * 1; bool b = n & 2; char c = 200; return d / 1e9 + m + t + b + c + (n > 2) + sizeof(t) + -7 / 2 + -7 % 3; }
