/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [5, 6], random = 1 }
n = 6
count = 5
---*/
// Tables of pointers on the heap: copied to another one, moved by one, set to nothing in part, grown by realloc.
#include <stdlib.h>
#include <string.h>

__global__ void mix(double *o, const double *a, int n)
{
    int i = threadIdx.x;
    if (i < n)
        o[i] = 0.5 * o[i] + a[i] * o[i];
}

static double **append(double **list, int *length, double *p)
{
    list = (double **)realloc(list, (*length + 2) * sizeof(double *));
    list[(*length)++] = p;
    list[*length] = NULL;
    return list;
}

static void rotate(double **rows, int count)
{
    double *last = rows[count - 1];
    memmove(rows + 1, rows, (count - 1) * sizeof(double *));
    rows[0] = last;
}

void run(double *x, int n, int count)
{
    double **rows = NULL, **order, **todo = (double **)calloc(count, sizeof(double *));
    int length = 0;
    for (int i = 0; i < count; i++) {
        double *row;
        cudaMalloc((void **)&row, n * sizeof(double));
        cudaMemcpy(row, x + i * n, n * sizeof(double), cudaMemcpyHostToDevice);
        rows = append(rows, &length, row);
    }
    order = (double **)malloc(count * sizeof(double *));
    memcpy(order, rows, count * sizeof(double *));
    for (double **p = rows; p[1]; ++p)
        mix<<<1, 8>>>(p[1], p[0], n);
    for (int t = 0; t < 4; t++) {
        rotate(order, count);
        memcpy(todo + t % 2, order + 1, (count - 2) * sizeof(double *));
        for (int i = 0; i < count; i++)
            if (todo[i])
                mix<<<1, 8>>>(todo[i], rows[t], n);
        memset(todo, 0, (t % 3 + 1) * sizeof(double *));
        if (todo[3])
            mix<<<1, 8>>>(todo[3], order[0], n);
    }
    for (int i = 0; i < count; i++)
        cudaMemcpy(x + i * n, order[i], n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; rows[i] != NULL; i++)
        cudaFree(rows[i]);
    free(rows);
    free(order);
    free(todo);
}
