/*---
function = "driver"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [13] }
x = { shape = [13], random = 1 }
n = 13
---*/
// Memory that grows while it is filled, through a variable of its own, in a struct, and from nothing.
#include <stdlib.h>

typedef struct {
    double *values;
    int count, room;
} List;

static void append(List *list, double value)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 1;
        list->values = (double *)realloc(list->values, list->room * sizeof(double));
    }
    list->values[list->count++] = value;
}

void driver(double *y, const double *x, int n)
{
    List list = {NULL, 0, 0};
    for (int i = 0; i < n; i++)
        append(&list, i > 0 ? list.values[i - 1] * x[i] + x[0] : x[i] * x[i]);
    double *h = (double *)malloc(4 * sizeof(double));
    for (int i = 0; i < 4; i++)
        h[i] = x[i] * list.values[i];
    double *larger = (double *)realloc(h, 6 * sizeof(double));
    if (larger == NULL) {
        free(h);
        return;
    }
    larger[4] = larger[0] * larger[1];
    larger[5] = larger[4] * x[7];
    larger = (double *)realloc(larger, 5 * sizeof(double));
    for (int i = 0; i < n; i++)
        y[i] = list.values[i] * larger[i % 5];
    free(larger);
    free(list.values);
}
