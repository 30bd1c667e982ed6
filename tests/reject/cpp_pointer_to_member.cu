/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "name the member"
---*/
struct State {
    double u, v;
};

double get(const State &s, double State::*which)
{
    return s.*which;
}

double f(double x)
{
    State s{x, 2};
    return get(s, &State::u);  // expected-error: pointers to members
    //                    ^
}
