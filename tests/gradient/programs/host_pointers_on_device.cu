/*---
function = "assign"
wrt = ["position", "weight"]
of = ["cost"]
[inputs]
cost = { zeros = [1] }
position = { shape = [33], random = 1 }
weight = { shape = [11], random = 2 }
n = 11
d = 3
---*/
// An array of structs, and one in constant memory, are copied to the device as they are, with pointers to the host that
// only the host follows.
#include <stdlib.h>

typedef struct {
    double *position;
    double weight;
    int nearest;
} point;

typedef struct {
    double *host_costs;
    double *costs;
    int n, d;
} problem;

__constant__ problem the_problem;

__global__ void distances(const point *points, const double *positions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < the_problem.n) {
        double sum = 0;
        for (int k = 0; k < the_problem.d; k++) {
            double gap = positions[i * the_problem.d + k] - positions[points[i].nearest * the_problem.d + k];
            sum += gap * gap;
        }
        the_problem.costs[i] = points[i].weight * sum;
    }
}

void assign(double *cost, double *position, double *weight, int n, int d)
{
    point *points = (point *)malloc(n * sizeof(point)), *there;
    double *positions;
    problem p;
    for (int i = 0; i < n; i++) {
        points[i].position = position + i * d;
        points[i].weight = weight[i] * points[i].position[0];
        points[i].nearest = (3 * i + 1) % n;
    }
    p.n = n;
    p.d = d;
    p.host_costs = (double *)malloc(n * sizeof(double));
    cudaMalloc((void **)&p.costs, n * sizeof(double));
    cudaMalloc((void **)&there, n * sizeof(point));
    cudaMalloc((void **)&positions, n * d * sizeof(double));
    cudaMemcpy(there, points, n * sizeof(point), cudaMemcpyHostToDevice);
    cudaMemcpy(positions, position, n * d * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(the_problem, &p, sizeof(problem));
    distances<<<(n + 3) / 4, 4>>>(there, positions);
    cudaMemcpy(p.host_costs, p.costs, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        cost[0] += p.host_costs[i] * points[i].position[1];
    cudaFree(p.costs);
    cudaFree(there);
    cudaFree(positions);
    free(p.host_costs);
    free(points);
}
