/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double *side;
    explicit Square(double s) : side(new double(s)) {}
    ~Square() override { delete side; }
    double area() const override { return *side * *side; }
};

double f(double x, Shape *s)
{
    delete s;  // expected-error: 'delete' of an object whose class only the run tells
//  ^
    return x;
}
