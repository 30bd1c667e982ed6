struct S { double x = 2; int n = 3; double u[2] = {4, 5}; };
struct T { S s; double y = 7; };
struct U { double x = 2; double y = x * 3; U(double v) : x(v) {} };
double f(double a, int n) { S s; S r{a}; T t; T q{{a, 1}}; T w{}; U u(a);
    return s.x + r.x + r.n + r.u[1] + t.y + t.s.u[0] + q.s.n + q.s.u[1] + q.y + w.s.x + u.y; }
