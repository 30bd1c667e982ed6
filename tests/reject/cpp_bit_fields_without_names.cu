/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
struct Register {
    unsigned low : 3;
    unsigned : 5;  // expected-error @14: bit-fields without a name
    unsigned high : 8;
};

double f(double x)
{
    Register r{1, 2};
    return x * r.low;
}
