struct I { int v; I &operator++() { ++v; return *this; } I operator++(int) { I old = *this; v += 10; return old; }
           bool operator<(const I &o) const { return v < o.v; } I operator-() const { return {-v}; } };
double f(double a, int n) { I i{1}; I j = i++; I k = ++i; return a + i.v + 100 * j.v + (j < k) + (-k).v * 1000; }
