/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double f(double x)
{
    double y = ({  // expected-error: a statement inside an expression
    //         ^
        double t = x * x;
        t + 1;
    });
    return y * y;
}
