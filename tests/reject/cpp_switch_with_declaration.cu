/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double f(double x, int n)
{
    int r = 7;
    switch (int r = n % 2; r) {  // expected-error: a declaration before the subject
//  ^
    case 0: x += 1;
    }
    return x + r;
}
