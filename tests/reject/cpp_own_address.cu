/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Node {
    double v;
    double *at;
    Node(double x) : v(x), at(&v) {}  // expected-error: keeps the address of its object
    //                        ^
};

double f(double x)
{
    Node n(x);
    n.v = 3;
    return *n.at;
}
