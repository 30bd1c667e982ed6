/*---
function = "model"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [10] }
x = { shape = [10], random_uniform = 1, low = 0.5, high = 1.5 }
n = 10
---*/
// Host arrays that a class copies deeply: copies member by member that the compiler writes, new and delete of objects, a
// pointer that owns one, objects that lambdas capture.
class Array {
public:
    Array() : data(nullptr), n(0) {}
    explicit Array(int length, double value = 0.0) : data(new double[length]), n(length)
    {
        for (int i = 0; i < n; ++i)
            data[i] = value;
    }
    Array(const Array &o) : data(new double[o.n]), n(o.n)
    {
        for (int i = 0; i < n; ++i)
            data[i] = o.data[i];
    }
    Array &operator=(const Array &o)
    {
        if (&o == this)
            return *this;
        if (n != o.n) {
            delete[] data;
            data = new double[o.n];
            n = o.n;
        }
        for (int i = 0; i < n; ++i)
            data[i] = o.data[i];
        return *this;
    }
    ~Array() { delete[] data; }
    double &operator[](int i) { return data[i]; }
    double operator[](int i) const { return data[i]; }
    int size() const { return n; }

private:
    double *data;
    int n;
};

static Array operator*(const Array &a, const Array &b)
{
    Array out(a.size());
    for (int i = 0; i < out.size(); ++i)
        out[i] = a[i] * b[i];
    return out;
}
static Array operator+(const Array &a, double s)
{
    Array out = a;
    for (int i = 0; i < out.size(); ++i)
        out[i] += s;
    return out;
}
static double sum(const Array &a)
{
    double s = 0.0;
    for (int i = 0; i < a.size(); ++i)
        s += a[i];
    return s;
}

struct Fields {
    Array density, energy;
    double time = 0.25;
    int steps = 0;
};

template <class T> class Owner {
public:
    explicit Owner(T *p = nullptr) : p_(p) {}
    Owner(const Owner &) = delete;
    Owner &operator=(const Owner &) = delete;
    Owner(Owner &&o) : p_(o.release()) {}
    ~Owner() { delete p_; }
    T *release()
    {
        T *held = p_;
        p_ = nullptr;
        return held;
    }
    T *operator->() const { return p_; }
    T &operator*() const { return *p_; }

private:
    T *p_;
};

static Fields advance(const Fields &f)
{
    Fields next = f;
    next.energy = f.density * (f.energy + f.time) + 0.125;
    next.time += 0.5 * sum(next.energy) / f.density.size();
    ++next.steps;
    return next;
}

void model(double *y, const double *x, int n)
{
    Fields f;
    f.density = Array(n, 0.5);
    f.energy = Array(n);
    for (int i = 0; i < n; ++i) {
        f.density[i] *= x[i];
        f.energy[i] = x[n - 1 - i];
    }
    Fields saved = f;
    for (int s = 0; s < 3; ++s)
        f = advance(f);
    Owner<Fields> owned(new Fields(saved));
    Owner<Fields> moved(std::move(owned));
    moved->energy[0] *= 1.5;
    moved->time = f.time;
    *moved = advance(*moved);
    auto scaled = [saved](double v) { return v * saved.density[1]; };
    for (int i = 0; i < n; ++i)
        y[i] = scaled(f.energy[i]) + moved->energy[i] * f.steps;
    double *one = new double(x[2]);
    Array *heap = new Array(3, *one);
    Array last(*heap);
    delete heap;
    y[3] += sum(last * last) * *one;
    delete one;
    const Array &chosen = n > 5 ? last : f.density;
    y[4] += chosen[1];
}
