/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
void f(double *x)
{
    try {  // expected-error: exceptions
//  ^
        if (x[0] < 0) throw 1;
        x[0] *= 2;
    } catch (int e) {
        x[0] = e;
    }
}
