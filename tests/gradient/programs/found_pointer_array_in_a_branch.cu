/*---
function = "run"
wrt = ["x", "y"]
of = ["x", "y"]
[inputs]
x = { shape = [1], random_uniform = 1, low = -1.0, high = 1.0 }
y = { shape = [1], random_uniform = 2, low = -1.0, high = 1.0 }
m = 3

[[cases]]
name = "taken"

[[cases]]
name = "not_taken"
inputs = { m = 2 }

[[cases]]
name = "in_a_loop"
function = "repeated"
---*/
// A list of pointers initialises an array inside a branch or a loop.
__global__ void squash(double *w)
{
    w[0] = tanh(w[0]);
}

__global__ void mix(double *w, const double *r)
{
    w[0] = tanh(w[0] + 2.0 * r[0]);
}

void run(double *x, double *y, int m)
{
    if (m > 2) {
        double *pair[2] = {x, y};
        squash<<<1, 1>>>(pair[m % 2]);
    }
    squash<<<1, 1>>>(x);
}

void repeated(double *x, double *y, int m)
{
    for (int t = 0; t < m; t++) {
        double *pair[2] = {x, y};
        if (t == 1) {
            pair[0] = y;
            pair[1] = x;
        }
        mix<<<1, 1>>>(pair[t / 2], pair[1 - t / 2]);
        double *again[2] = {pair[1], pair[0]};
        mix<<<1, 1>>>(again[0], again[1]);
    }
}
