/*---
function = "run"
wrt = ["x", "w"]
of = ["x", "y"]
[inputs]
x = { shape = [10], random = 1 }
y = { shape = [10], random = 2 }
w = 0.7
---*/
// References to what an expression chooses: local ones, parameters, what is assigned to; the choice is made once, and what acts
// in it acts once.
__device__ void add(double &to, double v) { to += v; }

__global__ void mix(double *x, double *y, double w)
{
    const int i = threadIdx.x;
    int next = 0;
    double held[3] = {x[i], 2 * w, w * y[i]}, other = w * w;
    double &r = i % 3 ? held[next++] : other;
    r = r * r + w;
    add(x[i] > 0 ? held[1] : held[next], sin(w));
    (i > 4 ? other : held[0]) *= x[i];
    (i % 2 ? x[i] : y[i]) = other * w;
    const double &c = i > 2 ? held[next++] : held[2];
    held[1] += 7 * w;
    y[i] += c * held[0] + held[1] * next;
    double &memory = i < 5 ? x[i] : y[i];
    memory -= r;
}

void run(double *x, double *y, double w) { mix<<<1, 10>>>(x, y, w); }
