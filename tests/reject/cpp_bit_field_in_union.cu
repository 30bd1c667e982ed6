/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
union Word {
    unsigned low : 3;  // expected-error @14: bit-fields in a union
    unsigned whole;
};

double f(double x)
{
    Word w;
    w.whole = 13;
    return x * w.low;
}
