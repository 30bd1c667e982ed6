/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [9] }
x = { shape = [9], random_uniform = 1, low = 0.5, high = 1.5 }
n = 9
---*/
// Destructors that compute: the order in which objects end can be seen in the result.
struct Trace {
    double *at;
    double scale;
    Trace(double *p, double s) : at(p), scale(s) { *at += 0.5 * s; }
    ~Trace() { *at = *at * scale + 0.25; }
};

struct Both {
    Trace one;
    Trace two;
    Both(double *p, double s) : one(p, s), two(p, 1.5 * s) {}
    ~Both() { *one.at *= two.scale; }
};

struct Derived : Trace {
    Trace extra;
    Derived(double *p, double s) : Trace(p, s + 0.25), extra(p, 0.75) {}
    double value() const { return *at * extra.scale; }
};

struct Counted {
    double *at;
    explicit Counted(double *p) : at(p) {}
    ~Counted() { *at += 0.125 * *at * *at; }
};

static double look(const Trace &t, double v) { return v + *t.at * t.scale; }
static Trace made(double *p, double s) { return Trace(p, s); }
static double taken(Trace t, double v) { return *t.at * v; }

void model(double *y, const double *x, int n)
{
    for (int i = 0; i < n; ++i)
        y[i] = x[i];
    for (int i = 0; i < n - 2; ++i) {
        Trace outer(&y[i], x[i]);
        Both both(&y[i], x[i + 1]);
        if (i == 1)
            continue;
        Trace outer2 = made(&y[i], x[i + 2]);
        if (i == 5)
            break;
        {
            Trace outer(&y[i + 1], 1.25);
            y[i] *= outer.scale;
        }
        Derived d(&y[i], 0.5);
        y[i + 1] += d.value();
    }
    y[7] += look(Trace(&y[7], x[0]), y[6]);
    y[7] += look(made(&y[7], x[1]), y[5]) * taken(Trace(&y[8], x[2]), y[5]);
    if (look(Trace(&y[8], 0.5), y[8]) > 0.0)
        y[8] += taken(made(&y[8], x[3]), 0.5);
    Counted several[3] = {Counted(&y[2]), Counted(&y[3]), Counted(&y[2])};
    int k = 0;
    while (look(Trace(&y[6], 0.75), x[6]) > 0.0 && k < 3)
        ++k;
    for (Trace t(&y[4], 0.5); k > 0; --k)
        y[4] += t.scale * x[4];
    y[3] += *several[1].at * x[5];
}
