/*---
function = "run"
help = "write the loop out"
---*/
#include <stdlib.h>

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

double run(double x, int *ranks, int n)
{
    qsort(ranks, n, sizeof(int), order); // expected-error: C functions that call functions of the program
//  ^
    return x * ranks[0];
}
