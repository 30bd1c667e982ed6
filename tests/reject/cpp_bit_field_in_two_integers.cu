/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Odd {
    unsigned long long wide : 33;  // expected-error @24: bit-fields that lie in this way
    short beside;
};

double f(double x)
{
    Odd o{3, 4};
    return x * o.wide;
}
