/*---
function = "f"
wrt = ["x", "a"]
of = ["y"]
[inputs]
x = { shape = [21], random_uniform = 1, low = 0.4, high = 1.3 }
y = { shape = [21], random_uniform = 2, low = -1.0, high = 1.0 }
n = 21
a = 0.7
[[cases]]
name = "none"
inputs = { steps = 0 }
[[cases]]
name = "as many as there is room for"
inputs = { steps = 2 }
[[cases]]
name = "more"
inputs = { steps = 5 }
---*/
/* A list that grows, of structs with device memory, its length and a weight: `realloc` moves numbers beside pointers. */
#include <stdlib.h>

typedef struct {
    double *values;
    int n;
    double weight;
} Item;

typedef struct {
    Item *items;
    int count, room;
} List;

__global__ void bend(double *w, const double *x, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        w[i] = a * cos(x[i]) + 0.3 * sin(a);
}

__global__ void add(double *y, const double *w, double a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 0.7 * sin(y[i]) + a * w[i] * w[(i + 1) % n];
}

static Item *append(List *list)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 2;
        list->items = (Item *)realloc(list->items, list->room * sizeof(Item));
    }
    return &list->items[list->count++];
}

void f(double *y, const double *x, int n, double a, int steps)
{
    List list = {NULL, 0, 0};
    for (int k = 0; k < steps; k++) {
        Item *item = append(&list);
        item->n = n;
        item->weight = a + 0.1 * k;
        cudaMalloc((void **)&item->values, n * sizeof(double));
        bend<<<(n + 7) / 8, 8>>>(item->values, k ? list.items[k - 1].values : x, item->weight, n);
    }
    for (int k = 0; k < list.count; k++)
        add<<<(n + 7) / 8, 8>>>(y, list.items[k].values, list.items[k].weight, list.items[k].n);
    while (list.count > 0)
        cudaFree(list.items[--list.count].values);
    free(list.items);
}
