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

double f(double a)
{
    Square s{{a}, 2};
    Shape *p = &s;
    return p->scale * static_cast<Square *>(p)->side;  // expected-error: derives from
    //                ^
}
