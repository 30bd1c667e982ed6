/*---
function = "bounds"
wrt = ["x"]
of = ["low", "high"]
[launch]
grid = 1
block = 6
[inputs]
low = { zeros = [6] }
high = { zeros = [6] }
x = { shape = [6, 7], random = 1 }
---*/
// Device functions that return through pointers: into locals, elements of local arrays, members, and in a loop.
struct range {
    double low, high;
};

__device__ void widen(struct range *r, double v, int *changes)
{
    if (v < r->low) {
        r->low = v;
        ++*changes;
    }
    if (v > r->high) {
        r->high = v;
        *changes += 1;
    }
}

__device__ void split(double v, double *squares, double *root)
{
    squares[0] = v * v;
    squares[1] = squares[0] * v;
    *root = sqrt(squares[0] + 1.0);
}

__device__ void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

__global__ void bounds(double *low, double *high, const double *x)
{
    const double *row = x + 7 * threadIdx.x;
    struct range r = {row[0], row[0]};
    int changes = 0;
    double parts[3];
    for (int k = 1; k < 7; k++)
        widen(&r, row[k], &changes);
    split(r.high, parts, &parts[2]);
    swap(&parts[0], &parts[1 + threadIdx.x % 2]);
    swap(&r.low, &r.high);
    low[threadIdx.x] = r.high * changes + parts[1];
    high[threadIdx.x] = r.low * parts[0] * parts[2];
    swap(&low[threadIdx.x], &high[threadIdx.x]);
}
