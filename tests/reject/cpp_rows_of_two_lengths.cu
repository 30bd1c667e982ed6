/*---
function = "f"
wrt = ["x"]
frontend = "cpp"
---*/
// Rows of an array of arrays of variable length have no type here, of which a pointer could be moved.
double f(const double *x, int n)
{
    double t[n][n];
    t[1][0] = x[0];
    double *row = *(t + 1); // expected-error: a pointer to arrays of variable length
    return row[0];
}
