/*---
function = "f"
help = "malloc"
---*/
double f(double x, int n)
{
    double a[n];
    a[0] = x;
    if (n > 2)
        goto done;  // expected-error: goto in a function with arrays of variable length
//      ^
    a[0] *= x;
done:
    return a[0];
}
