/*---
function = "interpolate"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 30
[inputs]
y = { zeros = [30] }
x = { shape = [30], random_uniform = 1, low = 0.0, high = 3.9 }
---*/
// Tables that never change: at file scope, const in a function, of two dimensions, of structs.
struct node {
    double at, value;
};

__constant__ struct node nodes[5] = {{0.0, 1.0}, {1.0, 0.5}, {2.0, 0.8}, {3.0, -0.4}, {4.0, 0.1}};
__device__ const int order[2][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}};

__device__ double gauss(double v)
{
    const double abscissa[3] = {-0.7745966692414834, 0.0, 0.7745966692414834};
    static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += weight[k] * exp(-v * (1.0 + abscissa[k]));
    return sum;
}

__global__ void interpolate(double *y, const double *x)
{
    double v = x[threadIdx.x];
    int k = 0;
    while (k < 3 && v > nodes[k + 1].at)
        k++;
    double s = (v - nodes[k].at) / (nodes[k + 1].at - nodes[k].at);
    y[threadIdx.x] = nodes[k].value * (1.0 - s) + nodes[k + 1].value * s * s + gauss(v) * order[k % 2][k];
}
