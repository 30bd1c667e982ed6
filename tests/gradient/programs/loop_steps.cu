/*---
function = "walk"
wrt = ["x"]
of = ["y"]
[launch]
grid = 1
block = 5
[inputs]
y = { zeros = [5] }
x = { shape = [5, 20], random_uniform = 1, low = 0.6, high = 1.3 }
n = 20
s = 3

[[cases]]
name = "some"

[[cases]]
name = "zero_trips"
inputs = { n = 0, s = 7 }
---*/
// Loops of every step: by an argument, doubling, halving, downward, unsigned, two variables at once, no trip at all.
__global__ void walk(double *y, const double *x, int n, int s)
{
    const double *row = x + 20 * threadIdx.x;
    double v = 1.0;
    for (int i = 0; i < n; i += s)
        v = v * row[i] + 0.1;
    for (int i = 1; i < n; i <<= 1)
        v += row[i] * v;
    for (unsigned i = n; i > 0; i /= 3)
        v = sin(v) + row[i % 20];
    for (size_t i = n; i-- > 0;)
        v = v * 0.5 + row[i] * row[i];
    for (int i = n - 1; i >= 0; i -= 4)
        v = v / (1.0 + row[i]);
    int i, j;
    for (i = 0, j = n - 1; i < j; i++, j -= 2)
        v += 0.1 * row[i] * row[j] * v;
    for (int k = 10; k != 10 + 3 * (n > 0); ++k)
        v = sin(v) * 0.4 * v + row[k];
    for (; i < n;) {
        v = cos(v) * row[i];
        i += 5;
    }
    y[threadIdx.x] = v;
}
