/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
y = { zeros = [19] }
x = { shape = [19], random = 1 }
w = { shape = [3], random_uniform = 2, low = 0.5, high = 1.5 }
n = 19
---*/
// Arguments are copies: functions that change their parameters, wholly, in a field or through a pointer to a part, and
// arguments that lie where the function, another thread or a pointer changes them while the parameter keeps its value.
struct vector {
    double x, y;
    double more[2];
};

__device__ struct vector moved(struct vector v, double s)
{
    v.x += s * v.y;
    v.more[1] *= v.x;
    return v;
}

__device__ double filled(struct vector v)
{
    double *cell = v.more;
    cell[0] = v.x * v.x;
    *(cell + 1) += cell[0];
    double *other = &v.y;
    *other *= cell[1];
    return v.y + v.more[0];
}

__device__ double after_barrier(double kept, double *shared)
{
    __syncthreads();
    if (threadIdx.x == 0)
        shared[0] *= 2.0;
    __syncthreads();
    return kept * shared[0];
}

__device__ double through(double kept, double *p)
{
    *p = *p * 3.0 + 1.0;
    return kept * *p;
}

__global__ void mix(double *y, const double *x, int n)
{
    __shared__ double first[1];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        first[0] = x[blockIdx.x];
    __syncthreads();
    double own = first[0];
    double of_block = after_barrier(own, first);
    if (i < n) {
        struct vector v = {x[i], x[(i + 1) % n], {0.3, x[(i + 2) % n]}};
        struct vector a = moved(v, 0.5), b = moved(moved(v, -0.7), 0.2);
        double local = v.x;
        double t = through(local, &local);
        y[i] += v.x * a.x + v.more[1] * b.more[1] + filled(v) * v.y + v.more[0] + t * local + of_block;
    }
}

double *current, *other;
double weight;

static double exchanged(double *y, double *mine, double w, int n)
{
    current = other;
    other = mine;
    weight = 2.0 * w * w;
    mix<<<(n + 7) / 8, 8>>>(y, mine, n);
    return w * weight;
}

static struct vector turned(struct vector v, int times)
{
    for (int k = 0; k < times; k++) {
        double kept = v.x;
        v.x = v.x * 0.9 - v.y * v.y;
        v.y = kept + v.y;
        v.more[k % 2] += v.x;
    }
    return v;
}

__global__ void scale(double *y, double s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] *= s;
}

void run(double *y, const double *x, const double *w, int n)
{
    double *d_y;
    cudaMalloc(&d_y, n * sizeof(double));
    cudaMalloc(&current, n * sizeof(double));
    cudaMalloc(&other, n * sizeof(double));
    cudaMemset(d_y, 0, n * sizeof(double));
    cudaMemcpy(current, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(other, x, n * sizeof(double), cudaMemcpyHostToDevice);
    scale<<<(n + 7) / 8, 8>>>(other, w[0], n);
    weight = w[1];
    double result = exchanged(d_y, current, weight, n);
    result += exchanged(d_y, current, weight, n);
    struct vector v = {w[0], w[1], {w[2], 1.0}};
    struct vector u = turned(v, 3);
    scale<<<(n + 7) / 8, 8>>>(d_y, result + v.x * u.x + v.y * u.more[0] + v.more[1] * u.more[1], n);
    cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(current);
    cudaFree(other);
    cudaFree(d_y);
}
