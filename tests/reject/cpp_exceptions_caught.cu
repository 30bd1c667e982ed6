/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
void f(double *x)
{
    try {  // expected-error: exceptions
//  ^
        x[0] *= 2;
    } catch (int e) {
    }
}
