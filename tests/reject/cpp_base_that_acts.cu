/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "do it in the class itself"
---*/
static int made = 0;

struct Counted {
    Counted() { ++made; }
};
struct State : Counted {  // expected-error: a base without members whose constructor or destructor does something
    //         ^
    double u;
    State(double v) : u(v) {}
};

double f(double x)
{
    State s(x);
    return s.u * s.u + made;
}
