/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "give it a variable of its own"
---*/
struct Tagged {
    double value;
    int tags[2];
};

double f(double x)
{
    Tagged t{x, {1, 2}};
    auto &[value, tags] = t;
    auto lambda = [&] { return value * tags[0]; };  // expected-error @32: what this lambda captures
    return lambda();
}
