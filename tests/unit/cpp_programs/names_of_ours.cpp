struct S { double self, v; double get(int self_) const { double s = self; return s * self_ + v; }
           double more(double self) const { return this->self + self * v; } };
double f(double a, int n) { double x_index = 5, sum = 0; double xs[2] = {a, 2};
    for (double x : xs) sum += x * x_index; S s{a, 4}; return sum + s.get(n) + s.more(2); }
