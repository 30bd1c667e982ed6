/*---
wrt = ["a"]
function = "kept"
[inputs]
a = { shape = [3], random = 1 }
c = 0
[[cases]]
name = "kept"
[[cases]]
name = "followed"
function = "followed"
inputs = { c = 2 }
---*/
// A number is read through a pointer that leads to a constant or to memory, and nothing else is done with either.
double kept(const double *a, int c)
{
    double low = -0.5;
    const double *p = c ? &low : a;
    return *p * 3.0;
}

double followed(const double *a, int c)
{
    double low = -0.5, high = 2.0;
    return (c == 0 ? &low : c == 1 ? &high : a)[0] * 3.0;
}
