// Three kernels whose threads each do `work` turns of a loop.

// A nonlinear loop: the reverse sweep needs every angle.
__global__ void pendulum(float *angle_out, const float *angle, float dt, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float q = angle[i], p = 0;
        for (int step = 0; step < work; step++) {
            p -= dt * sinf(q);
            q += dt * p;
        }
        angle_out[i] = q;
    }
}

// A weighted sum over neighbours, which are all active: adjoints are gathered.
__global__ void window(float *y, const float *x, const float *weight, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < work; k++)
            sum += weight[k] * x[i + k];
        y[i] = sum;
    }
}

// Values from a table at indices that nobody knows before: adjoints meet, and are added atomically.
__global__ void lookup(float *y, const float *x, const float *table, const int *at, int n, int work)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < work; k++)
            sum += x[i] * table[at[k * n + i]];
        y[i] = sum * sum;
    }
}
