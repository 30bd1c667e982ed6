/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "pass the derived object"
---*/
struct Shape {
    double scale;
};
struct Square : Shape {
    double side;
};

double area(const Shape &s) { return s.scale * static_cast<const Square &>(s).side; }  // expected-error: derives from
//                                             ^

double f(double a)
{
    Square s{{a}, 2};
    return area(s);
}
