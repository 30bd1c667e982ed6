/*---
function = "f"
frontend = "cpp"
error = "UnsupportedError"
---*/
double sum(int n, ...) { return n; }  // expected-error: variable arguments
//     ^

double f(double x) { return sum(1, x); }
