enum Kind { red = 2, green, blue = 10 };
static double pick(Kind k, double v) { switch (k) { case red: v += 1; case green: return v * 2; default: break; case blue: { double t = v; v = t * t; } } return v; }
double f(double a, int n)
{
    double s = 0;
    for (int i = 0; i < 12; ++i) {
        switch (int r = i % 4) {
        case 0:
        case 1: s += i; continue;
        case 2: if (i > 6) break; s += 100; break;
        default: s -= 1;
        }
        if (i == n + 5)
            goto done;
        s *= 1.5;
    }
done:
    return s + pick(red, a) + pick(green, a) + pick(blue, a) + pick(Kind(4), a);
}
