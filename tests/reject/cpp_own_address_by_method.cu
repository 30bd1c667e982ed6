/*---
function = "f"
error = "UnsupportedError"
---*/
struct Node {
    double v, *at;
    Node(double x) : v(x) { link(); }  // expected-error: keeps the address of its object
    //                      ^
    void link() { at = &v; }
};

double f(double x)
{
    Node n(x);
    n.v = 3.0;
    return *n.at;
}
