/*---
function = "solve"
wrt = ["l", "b"]
of = ["x"]
[launch]
grid = 1
block = 4
[inputs]
x = { zeros = [4, 6] }
l = { shape = [6, 6], random_uniform = 1, low = 1.0, high = 2.0 }
b = { shape = [4, 6], random = 2 }
---*/
// Triangular loops with a value carried through memory: forward and backward substitution, a right-hand side a thread.
#define N 6

__global__ void solve(double *x, const double *l, const double *b)
{
    double *mine = x + threadIdx.x * N;
    for (int i = 0; i < N; i++) {
        double sum = b[threadIdx.x * N + i];
        for (int j = 0; j < i; j++)
            sum -= l[i * N + j] * mine[j];
        mine[i] = sum / (l[i * N + i] + 2.0);
    }
    for (int i = N - 1; i >= 0; i--) {
        double sum = mine[i];
        for (int j = i + 1; j < N; j++)
            sum -= l[j * N + i] * mine[j];
        mine[i] = sum / (l[i * N + i] + 2.0);
    }
}
