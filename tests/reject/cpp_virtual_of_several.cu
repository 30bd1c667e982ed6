/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "call it for a variable of the class itself"
---*/
struct Shape {
    virtual double area(double x) const = 0;
};
struct Square : Shape {
    double area(double x) const override { return x * x; }
};
struct Circle : Shape {
    double area(double x) const override { return 3.14 * x * x; }
};

double f(double x, int n)
{
    Square square;
    Circle circle;
    const Shape *shapes[2] = {&square, &circle};
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += shapes[i % 2]->area(x);  // expected-error: a call of the virtual function 'area'
    //         ^
    return sum;
}
