/*---
function = "run"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [3], random = 1 }
y = { zeros = [3] }
n = 3
---*/
// What a program assigns to variables of the C library is what it reads there afterwards, in the derivative as well.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void run(double *x, double *y, int n)
{
    errno = 0;
    long factor = strtol("3", NULL, 10);
    if (errno)
        return;
    for (int i = 0; i < n; i++) {
        errno = (optind = 7) + i;
        errno += 2;
        int before = errno++;
        y[i] = factor * x[i] * x[i] * (errno - before) + optind * x[i] * errno;
    }
}
