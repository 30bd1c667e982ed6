/*---
[[cases]]
name = "scalar"
function = "by_thread_zero"
wrt = ["x", "w"]
of = ["y"]
inputs = { y = { shape = [80], random = 1 }, x = { shape = [80], random = 2 }, w = { shape = [16], random = 3 }, n = 5 }

[[cases]]
name = "no_rows"
function = "by_thread_zero"
wrt = ["x", "w"]
of = ["y"]
inputs = { y = { shape = [80], random = 1 }, x = { shape = [80], random = 2 }, w = { shape = [16], random = 3 }, n = 0 }

[[cases]]
name = "bins"
function = "by_all_threads"
wrt = ["x", "w"]
of = ["y"]
inputs = { y = { shape = [36], random = 1 }, x = { shape = [96], random = 2 }, w = { shape = [12], random = 3 }, key = { shape = [96], random = 4, low = 0, high = 19 }, n = 4 }

[[cases]]
name = "moments"
function = "element_by_element"
wrt = ["x"]
of = ["x"]
inputs = { x = { shape = [3, 40], random = 2 }, sweeps = 3 }
---*/
// Sums in shared memory that are set to zero again at the top of a loop: by one thread, by all threads in steps of the
// block's width, and one by one.
#define BINS 19

__global__ void scaled_by_sum(double *y, const double *x, const double *w, int n)
{
    __shared__ double s;
    int t = threadIdx.x;
    for (int r = 0; r < n; r++) {
        if (t == 0)
            s = 0.0;
        __syncthreads();
        atomicAdd(&s, x[r * blockDim.x + t] * w[t]);
        __syncthreads();
        y[r * blockDim.x + t] = s * x[r * blockDim.x + t] * s;
        __syncthreads();
    }
}

void by_thread_zero(double *y, const double *x, const double *w, int n)
{
    scaled_by_sum<<<1, 16>>>(y, x, w, n);
}

__global__ void binned(double *y, const double *x, const double *w, const int *key, int n)
{
    __shared__ double bins[BINS];
    int t = threadIdx.x, at = blockIdx.x * blockDim.x + t;
    double product = 1.0 + 0.1 * t;
    for (int r = 0; r < n; r++) {
        for (int b = threadIdx.x; b < BINS; b += blockDim.x)
            bins[b] = 0.1 * r;
        __syncthreads();
        atomicAdd(&bins[key[r * 24 + at % 24]], x[r * 24 + at % 24] * w[t]);
        __syncthreads();
        product *= 1.0 + bins[(t + r) % BINS] * bins[(3 * t + 1) % BINS];
        __syncthreads();
    }
    y[at] = product;
}

void by_all_threads(double *y, const double *x, const double *w, const int *key, int n)
{
    binned<<<3, 12>>>(y, x, w, key, n);
}

__global__ void normalise(double *x, int sweeps)
{
    __shared__ double moment[2], count[3];
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    double *row = x + 40 * blockIdx.x;
    for (int sweep = 0; sweep < sweeps; sweep++) {
        if (threadIdx.x == 0 && threadIdx.y == 0) {
            moment[0] = 0.0;
            moment[1] = 1.0;
            for (int k = 0; k < 3; k++)
                count[k] = 1e-3;
        }
        __syncthreads();
        double v = row[i];
        atomicAdd(&moment[i % 2], v * v);
        atomicAdd(&count[i % 3], 0.01 * v * v * v);
        __syncthreads();
        row[i] = v / sqrt(moment[0] + moment[1]) + count[(i + 1) % 3];
        __syncthreads();
    }
}

void element_by_element(double *x, int sweeps)
{
    normalise<<<3, dim3(8, 5)>>>(x, sweeps);
}
