/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
template <class Own> struct Shape {
    double scale;
    double area() const { return scale * static_cast<const Own &>(*this).side; }  // expected-error: derives from
    //                                   ^
};
struct Square : Shape<Square> {
    double side;
};

double f(double a)
{
    Square s{{a}, 2};
    return s.area();
}
