/*---
function = "copied"
wrt = ["x"]
of = ["y"]
[inputs]
x = { shape = [13], random = 1 }
y = { shape = [13], random = 2 }
n = 13

[[cases]]
name = "copied"

[[cases]]
name = "in_place"
function = "in_place"

[[cases]]
name = "by_functions"
function = "by_functions"

[[cases]]
name = "in_steps"
function = "in_steps"
---*/
// Structs on the heap whose pointers lead to the host first and are then replaced, one by one, by pointers to the
// device: as a copy, in place, by functions that make and take pointers to them, and anew in each step of a loop.
#include <stdlib.h>
#include <string.h>

typedef struct {
    double *value;
    double *weight;
    int *index;
    double scale;
    int n;
} problem;

__global__ void weigh(const problem *p, double *y)
{
    int i = threadIdx.x;
    if (i < p->n)
        y[i] += p->scale * p->value[i] * p->weight[p->index[i]];
}

static void fill(problem *p, const double *x, int n)
{
    p->n = n;
    p->scale = 0.75;
    p->value = (double *)malloc(n * sizeof(double));
    p->weight = (double *)malloc(n * sizeof(double));
    p->index = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) {
        p->value[i] = x[i];
        p->weight[i] = x[i] * x[i];
        p->index[i] = n - 1 - i;
    }
}

static problem *new_problem(const double *x, int n)
{
    problem *p = (problem *)calloc(1, sizeof(problem));
    if (p == NULL)
        exit(1);
    fill(p, x, n);
    return p;
}

static problem *on_device(const problem *host)
{
    problem *copy = (problem *)malloc(sizeof(problem)), *result;
    size_t bytes = host->n * sizeof(double);
    memcpy(copy, host, sizeof(problem));
    cudaMalloc((void **)&copy->value, bytes);
    cudaMemcpy(copy->value, host->value, bytes, cudaMemcpyHostToDevice);
    cudaMalloc((void **)&copy->weight, bytes);
    cudaMemcpy(copy->weight, host->weight, bytes, cudaMemcpyHostToDevice);
    cudaMalloc((void **)&copy->index, host->n * sizeof(int));
    cudaMemcpy(copy->index, host->index, host->n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&result, sizeof(problem));
    cudaMemcpy(result, copy, sizeof(problem), cudaMemcpyHostToDevice);
    free(copy);
    return result;
}

static void apply(const problem *p, double *y, int n)
{
    double *d_y;
    cudaMalloc((void **)&d_y, n * sizeof(double));
    cudaMemcpy(d_y, y, n * sizeof(double), cudaMemcpyHostToDevice);
    weigh<<<1, 16>>>(p, d_y);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
}

void copied(const double *x, double *y, int n)
{
    problem host, *copy = (problem *)malloc(sizeof(problem)), *p;
    fill(&host, x, n);
    *copy = host;
    double *value, *weight;
    int *index;
    cudaMalloc((void **)&value, n * sizeof(double));
    cudaMalloc((void **)&weight, n * sizeof(double));
    cudaMalloc((void **)&index, n * sizeof(int));
    cudaMemcpy(value, host.value, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(weight, copy->weight, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(index, copy->index, n * sizeof(int), cudaMemcpyHostToDevice);
    copy->value = value;
    copy->weight = weight;
    copy->index = index;
    cudaMalloc((void **)&p, sizeof(problem));
    cudaMemcpy(p, copy, sizeof(problem), cudaMemcpyHostToDevice);
    apply(p, y, n);
    free(copy);
}

void in_place(const double *x, double *y, int n)
{
    problem *host = new_problem(x, n), *p;
    double *value, *weight;
    int *index;
    cudaMalloc((void **)&value, n * sizeof(double));
    cudaMemcpy(value, host->value, n * sizeof(double), cudaMemcpyHostToDevice);
    free(host->value);
    host->value = value;
    cudaMalloc((void **)&weight, n * sizeof(double));
    cudaMemcpy(weight, host->weight, n * sizeof(double), cudaMemcpyHostToDevice);
    free(host->weight);
    host->weight = weight;
    cudaMalloc((void **)&index, n * sizeof(int));
    cudaMemcpy(index, host->index, n * sizeof(int), cudaMemcpyHostToDevice);
    free(host->index);
    host->index = index;
    cudaMalloc((void **)&p, sizeof(problem));
    cudaMemcpy(p, host, sizeof(problem), cudaMemcpyHostToDevice);
    apply(p, y, n);
    free(host);
}

void by_functions(const double *x, double *y, int n)
{
    problem *host = new_problem(x, n);
    problem *p = on_device(host);
    apply(p, y, n);
    if (host)
        free(host);
}

void in_steps(const double *x, double *y, int n)
{
    for (int t = 0; t < 3; t++) {
        problem *host = new_problem(x, n - t);
        host->value[t] = x[t] * y[t];
        problem *p = on_device(host);
        apply(p, y, n);
        free(host->value);
        free(host->weight);
        free(host->index);
        free(host);
        cudaFree(p);
    }
}
