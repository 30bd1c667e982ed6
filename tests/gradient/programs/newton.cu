/*---
function = "roots"
wrt = ["a"]
of = ["r"]
reference = { a = "adj_r * np.cbrt(a) ** -2 / 3" }
[launch]
grid = 1
block = 40
[inputs]
r = { zeros = [40] }
a = { shape = [40], random_uniform = 1, low = 0.5, high = 5.0 }
---*/
// Newton's iteration for the cube root: the number of steps depends on the data.
__global__ void roots(double *r, const double *a)
{
    double x = 1.0;
    double change = 1.0;
    while (fabs(change) > 1e-14) {
        change = (x * x * x - a[threadIdx.x]) / (3.0 * x * x);
        x -= change;
    }
    r[threadIdx.x] = x;
}
