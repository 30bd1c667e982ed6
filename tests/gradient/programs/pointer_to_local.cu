/*---
function = "smooth"
wrt = ["x"]
[inputs]
x = { shape = [4], random = 1 }

[[cases]]
name = "swap"

[[cases]]
name = "scalar"
function = "through_pointer"
---*/
// Pointers to local arrays and to a local scalar.
double smooth(const double *x)
{
    double a[4], b[4];
    double *from = a, *to = b;
    for (int i = 0; i < 4; i++)
        from[i] = x[i];
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 4; i++)
            to[i] = from[i] * from[(i + 1) % 4];
        double *other = from;
        from = to;
        to = other;
    }
    return from[0] + from[1] * from[2];
}

double through_pointer(const double *x)
{
    double s = x[0], r = x[1];
    double *p = &s;
    *p = s * x[1] + 1.0;
    if (x[2] < 100.0)
        p = &r;
    *p *= s;
    return s * r;
}
