double f(double a, int n) { double *p = new double[n + 1](); p[n] = a; double s = p[0] + p[n]; delete[] p;
    int *q = new int[2]; q[0] = 3; q[1] = q[0]++; s += q[0] * 10 + q[1]; delete[] q; return s; }
