struct Cell { double v[3]; double *row(int i) { return &v[i]; } };
double f(double a, int n) { Cell c[2] = {{{a, 2, 3}}, {{4, 5, 6}}}; Cell *p = c + 1; *p->row(1) *= a; (*p).v[0] += 1;
    double (&r)[3] = c[0].v; r[2] = 9; return p->v[0] + p->v[1] + c[0].v[2] + *(c[0].row(0) + 1); }
