enum class Mode : unsigned char { low = 250, high }; enum Plain { A = 5, B }; enum Large : long { L = 1L << 40 };
double f(double a, int n) { Mode m = Mode::high; int s = 0; switch (m) { case Mode::low: s = 1; break;
    case Mode::high: s = 2; break; } return a * s + static_cast<int>(m) + B + (L >> 38); }
