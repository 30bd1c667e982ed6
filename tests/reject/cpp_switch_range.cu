/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
help = "write each case"
---*/
double f(double x, int kind)
{
    switch (kind) {
    case 0 ... 3:  // expected-error: a range of cases
//  ^
        return x * x;
    default:
        return x;
    }
}
