/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Shape {
    virtual double area() const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    double side;
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
};

double f(double x)
{
    Square s(x);
    const Shape *shape = &s;
    const Square *square = dynamic_cast<const Square *>(shape);  // expected-error @28: dynamic_cast
    return square->side;
}
