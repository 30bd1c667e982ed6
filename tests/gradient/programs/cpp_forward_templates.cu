/*---
function = "f"
wrt = ["x"]
[inputs]
x = 1.5
k = 3
---*/
// A class template that is declared before it is defined: its virtual functions, bases and constructors are those of
// the definition.
template <class T> class Holder;
template <class T> struct Source {
    T v;
};
template <class T> class Shape
{
public:
    explicit Shape(const Source<T> &s)
        : v(s.v)
    {
    }
    explicit Shape(const Holder<T> &h);
    virtual T area() const { return v; }
    T twice() const { return 2 * area(); }
    T v;
};
template <class T> class Square;
template <class T> T measure(const Square<T> &s);
template <class T> class Square : public Shape<T>
{
public:
    explicit Square(const Source<T> &s)
        : Shape<T>(s)
    {
    }
    T area() const override { return this->v * this->v; }
};
template <class T> class Holder
{
public:
    Holder(const Square<T> &s)
        : kept(s.area())
    {
    }
    T kept;
};
template <class T> T measure(const Square<T> &s)
{
    return s.twice();
}
template <class T>
Shape<T>::Shape(const Holder<T> &h)
    : v(h.kept * 3)
{
}
double f(double x, int k)
{
    Square<double> s(Source<double>{x});
    const Shape<double> &seen = s;
    Holder<double> h = s;
    Shape<double> plain(h);
    double r = seen.area() + measure(s) + plain.twice();
    for (int i = 0; i < k; ++i)
        r = r * x + h.kept;
    return r;
}
