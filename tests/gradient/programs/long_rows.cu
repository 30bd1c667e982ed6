/*---
function = "filter"
wrt = ["in", "w", "gain"]
of = ["out"]
[launch]
grid = [5]
block = [224]
[inputs]
out = { shape = [1200], random = 1 }
in = { shape = [1200], random = 2 }
w = { shape = [5], random = 3 }
gain = 0.7
n = 1100

[[cases]]
name = "whole"

[[cases]]
name = "fewer_threads"
launch = { grid = [3], block = [199] }

[[cases]]
name = "nothing"
inputs = { n = 0 }

[[cases]]
name = "product"
function = "product"
wrt = ["in", "w"]
launch = { grid = [12], block = [96] }
inputs = { w = { shape = [1100], random = 4 }, n = 550, in = { shape = [4], random = 2 } }

[[cases]]
name = "product_cut_short"
function = "product"
wrt = ["in", "w"]
launch = { grid = [7], block = [121] }
inputs = { w = { shape = [1100], random = 4 }, n = 550, in = { shape = [4], random = 2 } }

[[cases]]
name = "tree"
function = "tree"
wrt = ["in"]
launch = { grid = [5], block = [256] }
---*/
// Rows longer than what the CPU takes together: sums over neighbours and over all threads, launches that end early.
__global__ void filter(double *out, const double *in, const double *w, double gain, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i + 2 < n) {
        double sum = 0;
        for (int j = 0; j < 5; ++j) {
            sum += w[j] * in[i + j - 2];
        }
        out[i] = gain * sum + in[n - 1 - i];
    }
}

// out (2 x n) = in (2 x 2) times w (2 x n), as far as there are threads
__global__ void product(double *out, const double *in, const double *w, double gain, int n)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < 2 * n) {
        int row = at / n;
        int col = at % n;
        double sum = 0;
        for (int k = 0; k < 2; ++k) {
            sum += in[row * 2 + k] * w[k * n + col];
        }
        out[at] = sum;
    }
}

__global__ void tree(double *out, const double *in, const double *w, double gain, int n)
{
    __shared__ double part[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] * in[i] : 0.0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) {
            part[t] += part[t + half] * w[2];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = part[0];
    }
}
