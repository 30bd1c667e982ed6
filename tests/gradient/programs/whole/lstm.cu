/*---
function = "loss"
wrt = ["x", "weights", "bias", "readout"]
[inputs]
x = { shape = [6, 3, 4], random = 1 }
weights = { shape = [20, 9], random = 2 }
bias = { shape = [20], random = 3 }
readout = { shape = [5], random = 4 }
target = { shape = [3], random = 5 }
length = 6
batch = 3
inputs = 4
hidden = 5
[gradcheck]
rtol = 1e-5
---*/
// A long short-term memory over a sequence: a matrix product and a gate kernel per step, a readout, a squared error.
#include <stdlib.h>

__device__ __forceinline__ double sigmoid(double v)
{
    return 1.0 / (1.0 + exp(-v));
}

// gates[b, g] = bias[g] + sum over [x, h][b, k] * weights[g, k]
__global__ void preactivate(double *gates, const double *x, const double *h, const double *weights, const double *bias,
                            int batch, int inputs, int hidden)
{
    int g = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
    if (g >= 4 * hidden || b >= batch)
        return;
    const double *w = weights + g * (inputs + hidden);
    double sum = bias[g];
    for (int k = 0; k < inputs; k++)
        sum += w[k] * x[b * inputs + k];
    for (int k = 0; k < hidden; k++)
        sum += w[inputs + k] * h[b * hidden + k];
    gates[b * 4 * hidden + g] = sum;
}

__global__ void cell(double *h, double *c, const double *gates, int batch, int hidden)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * hidden)
        return;
    int b = i / hidden, j = i % hidden;
    const double *g = gates + b * 4 * hidden;
    double input = sigmoid(g[j]), forget = sigmoid(g[hidden + j]);
    double candidate = tanh(g[2 * hidden + j]), output = sigmoid(g[3 * hidden + j]);
    c[i] = forget * c[i] + input * candidate;
    h[i] = output * tanh(c[i]);
}

__global__ void read_out(double *y, const double *h, const double *readout, int batch, int hidden)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < batch) {
        y[b] = 0.0;
        for (int j = 0; j < hidden; j++)
            y[b] += readout[j] * h[b * hidden + j];
    }
}

static double *to_device(const double *host, size_t count)
{
    double *device;
    cudaMalloc((void **)&device, count * sizeof(double));
    cudaMemcpy(device, host, count * sizeof(double), cudaMemcpyHostToDevice);
    return device;
}

double loss(const double *x, const double *weights, const double *bias, const double *readout, const double *target,
            int length, int batch, int inputs, int hidden)
{
    double *d_x = to_device(x, length * batch * inputs);
    double *d_weights = to_device(weights, 4 * hidden * (inputs + hidden));
    double *d_bias = to_device(bias, 4 * hidden);
    double *d_readout = to_device(readout, hidden);
    double *h, *c, *gates, *y;
    cudaMalloc(&h, batch * hidden * sizeof(double));
    cudaMalloc(&c, batch * hidden * sizeof(double));
    cudaMalloc(&gates, batch * 4 * hidden * sizeof(double));
    cudaMalloc(&y, batch * sizeof(double));
    cudaMemset(h, 0, batch * hidden * sizeof(double));
    cudaMemset(c, 0, batch * hidden * sizeof(double));
    for (int t = 0; t < length; t++) {
        preactivate<<<dim3((4 * hidden + 7) / 8, batch), 8>>>(gates, d_x + t * batch * inputs, h, d_weights, d_bias,
                                                               batch, inputs, hidden);
        cell<<<(batch * hidden + 7) / 8, 8>>>(h, c, gates, batch, hidden);
    }
    read_out<<<1, batch>>>(y, h, d_readout, batch, hidden);
    double *host_y = (double *)malloc(batch * sizeof(double)), error = 0.0;
    cudaMemcpy(host_y, y, batch * sizeof(double), cudaMemcpyDeviceToHost);
    for (int b = 0; b < batch; b++)
        error += (host_y[b] - target[b]) * (host_y[b] - target[b]) / batch;
    free(host_y);
    double *all[] = {d_x, d_weights, d_bias, d_readout, h, c, gates, y};
    for (int k = 0; k < 8; k++)
        cudaFree(all[k]);
    return error;
}
