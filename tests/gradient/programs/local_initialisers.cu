/*---
function = "fill"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 9
[inputs]
y = { zeros = [9] }
x = { shape = [9], random = 1 }
---*/
// Local arrays and structs begin with lists: full, partial, designated, nested, with active values, again in each trip.
struct pair {
    double first, second[2];
    int tag;
};

__global__ void fill(double *y, const double *x)
{
    double v = x[threadIdx.x];
    double powers[4] = {1.0, v, v * v};
    double grid[2][2] = {{v, 2.0}, {3.0, v * v}};
    struct pair p = {v, {0.5, v + 1.0}, 3};
    struct pair q = {.second = {v * v, 2.0}, .tag = 2};
    int order[] = {2, 0, 1, 3};
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        double fresh[3] = {sum * v, powers[order[k]]};
        fresh[2] += fresh[0] * fresh[1];
        fresh[k % 3] *= p.second[k / 2];
        sum += fresh[2] + fresh[k % 3] + grid[k / 2][k % 2] * grid[k % 2][k / 2];
        powers[3] = sum;
    }
    y[threadIdx.x] = sum * p.first * p.tag + q.first + q.second[0] * q.tag + q.second[1];
}
