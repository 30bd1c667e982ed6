/*---
function = "mix"
wrt = ["few", "many", "single", "state"]
of = ["out", "state"]
[inputs]
out = { zeros = [150] }
few = { shape = [12], random = 1 }
many = { shape = [1500], random = 2 }
single = { shape = [7], random = 3 }
state = { shape = [150], random = 4 }
kind = { shape = [150], random = 5, low = 0, high = 2 }
length = { shape = [150], random = 6, low = 0, high = 5 }
n = 150
---*/
// Threads that come again and again to few cells, of two types, and to more cells than a block can keep sums of; blocks
// with two axes.  A thread also reads what it is about to overwrite, and what it has just written.
__global__ void mix_kernel(double *out, const double *few, const double *many, const float *single, double *state,
                           const int *kind, const int *length, int n)
{
    int i = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    if (i < n) {
        double sum = 0.0;
        for (int j = 0; j < length[i]; j++) {
            sum += few[kind[i] * 4 + j % 4] * single[(kind[i] + j) % 7];
            for (int k = 0; k < length[i]; k++)
                sum += 0.1 * many[(i * 37 + j * 211 + k * 5) % 1500] * many[(i + k) % 1500];
            sum += state[i] * few[j];
        }
        state[i] = sum * sum + state[i];
        for (int j = 0; j < length[i]; j++)
            sum += state[i] * few[11 - j] * few[kind[i]];
        out[i] = sum;
    }
}

void mix(double *out, const double *few, const double *many, const float *single, double *state, const int *kind,
         const int *length, int n)
{
    dim3 block(8, 5);
    mix_kernel<<<(n + 39) / 40, block>>>(out, few, many, single, state, kind, length, n);
}
