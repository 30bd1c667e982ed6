/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double f(double a)
{
    return reinterpret_cast<long &>(a);  // expected-error: a cast to a reference
    //     ^
}
