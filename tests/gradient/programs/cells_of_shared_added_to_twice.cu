/*---
function = "gather_twice"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [40] }
x = { shape = [40], random = 1 }
order = { values = [3, 1, 0, 2, 7, 5, 4, 6] }
n = 37
---*/
// Each thread reads the same cells of shared memory several times: with a store to the cell between, with another one
// to a cell that may be the same, with an index that changes, in a struct, and in loops in which the cell stays the same.
#define LANES 8

typedef struct {
    double value, weight;
} Pair;

__global__ void twice(double *y, const double *x, const int *order, int n)
{
    __shared__ double own[LANES][2], near[LANES + 1];
    __shared__ Pair pairs[LANES];
    __shared__ int place[LANES];
    int t = threadIdx.x, i = blockIdx.x * LANES + t;
    double mine = i < n ? x[i] : 0.5;
    own[t][0] = mine;
    own[t][1] = mine * mine;
    near[t] = sin(mine);
    if (t == 0)
        near[LANES] = 1.5;
    pairs[t].value = mine;
    pairs[t].weight = cos(mine);
    place[t] = order[t];
    __syncthreads();

    double sum = near[t] * near[t + 1] + near[t] * near[t + 1];
    int at = place[t];
    sum += pairs[at].value * pairs[at].weight + pairs[at].value;
    at = place[at];
    sum += pairs[at].value * pairs[at].weight * pairs[at].value;

    sum += own[t][0] * own[t][0];
    own[t][0] = sum * 0.25;
    sum += own[t][0] * own[t][0] + own[t][t % 2];
    own[t][t % 2] = 0.5;
    sum += own[t][0] * own[t][1] * own[t][1];

    for (int k = 0; k < t; ++k)
        sum += pairs[at].weight * k + near[LANES - 1] * near[0];
    for (int k = 0; k < 5; ++k) {
        own[t][1] = sin(own[t][1]) + own[t][0] * near[k];
        sum += own[t][1] * near[k];
    }
    if (i < n)
        y[i] = sum;
}

void gather_twice(double *y, const double *x, const int *order, int n)
{
    twice<<<(n + LANES - 1) / LANES, LANES>>>(y, x, order, n);
}
