/*---
function = "march"
wrt = ["y", "rate"]
of = ["y", "work"]
[inputs]
y = { shape = [11, 6], random_uniform = 1, low = 0.2, high = 1.5 }
work = { zeros = [11] }
rate = { shape = [11], random_uniform = 2, low = 0.5, high = 1.5 }
n = 11
steps = 6
[[cases]]
[cases.inputs]
steps = 1
---*/
// Each step is tried with a smaller width until an error, computed from what has just been stored, is small; then a
// series is summed to as many terms as its terms ask for, at most eight.
__global__ void integrate(double *y, double *work, const double *rate, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, terms;
    if (i >= n)
        return;
    double *own = y + i * 6;
    for (int s = 1; s < steps; s++) {
        double h = 1.0;
        for (int k = 0; k < 5; k++) {
            own[s] = own[s - 1] * (1 - h * rate[i] * own[s - 1]);
            work[i] += own[s] * h;
            if (own[s] > 0.1)
                break;
            h *= 0.5;
        }
        terms = own[s] > 0.3 ? 3 : 1;
        double term = own[s];
        for (int k = 0; k < 8; k++) {
            double least = 0.01 * own[s];
            if (k > 0 && term * term < least)
                break;
            own[s] += 0.01 * term;
            term *= 0.5 * own[s];
        }
        for (int k = 0; k < 4; k++)
            if (k < terms)
                work[i] += 0.1 * own[s] * own[s] * k;
    }
}

void march(double *y, double *work, double *rate, int n, int steps)
{
    integrate<<<(n + 3) / 4, 4>>>(y, work, rate, n, steps);
}
