/*---
function = "shift"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [20], random = 1 }
n = 20
---*/
// Two host pointers into one array: a reversed loop may not run in the primal's order.
void shift(double *x, int n)
{
    double *next = x + 1;
    for (int i = 0; i < n - 1; i++)
        next[i] += 0.5 * x[i];
    for (int i = 0; i < n - 1; i++)
        x[i] += 0.5 * next[i];
}
