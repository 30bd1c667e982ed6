/*---
function = "train_step_loss"
wrt = ["x", "parameters"]
[inputs]
x = { shape = [6, 7], random = 1 }
parameters = { shape = [131], random = 2 }
labels = { shape = [6], random = 3, low = 0, high = 3 }
batch = 6
[gradcheck]
rtol = 1e-5

[[cases]]
name = "double"

[[cases]]
name = "float"
defines = { real = "float" }
[cases.gradcheck]
rtol = 2e-2
---*/
// A perceptron of three layers whose sizes and activations stand in a table of structs; activations in one array of
// device pointers; softmax and cross entropy at the end. The parameters lie in one array, carved up by offsets.
#include <math.h>
#include <stdlib.h>

#ifndef real
#define real double
#endif
#define LAYERS 3

enum activation { LINEAR, TANH, RELU };

typedef struct {
    int in, out;
    enum activation activation;
} Layer;

static const Layer network[LAYERS] = {{7, 6, TANH}, {6, 8, RELU}, {8, 3, LINEAR}};

__global__ void dense(real *y, const real *x, const real *weights, const real *bias, int batch, int in, int out,
                      enum activation activation)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y * blockDim.y + threadIdx.y;
    if (j >= out || b >= batch)
        return;
    real sum = bias[j];
    for (int k = 0; k < in; k++)
        sum += weights[j * in + k] * x[b * in + k];
    switch (activation) {
    case TANH:
        sum = tanh(sum);
        break;
    case RELU:
        sum = sum > 0 ? sum : (real)0.1 * sum;
        break;
    default:
        break;
    }
    y[b * out + j] = sum;
}

__global__ void cross_entropy(real *loss, const real *logits, const int *labels, int batch, int classes)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch)
        return;
    const real *row = logits + b * classes;
    real most = row[0], sum = 0;
    for (int k = 1; k < classes; k++)
        most = fmax(most, row[k]);
    for (int k = 0; k < classes; k++)
        sum += exp(row[k] - most);
    loss[b] = log(sum) + most - row[labels[b]];
}

real train_step_loss(const real *x, const real *parameters, const int *labels, int batch)
{
    int count = 0;
    for (int l = 0; l < LAYERS; l++)
        count += network[l].out * (network[l].in + 1);
    real *d_parameters, *activations[LAYERS + 1], *d_loss;
    int *d_labels;
    cudaMalloc((void **)&d_parameters, count * sizeof(real));
    cudaMemcpy(d_parameters, parameters, count * sizeof(real), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&d_labels, batch * sizeof(int));
    cudaMemcpy(d_labels, labels, batch * sizeof(int), cudaMemcpyHostToDevice);
    cudaMalloc((void **)&activations[0], batch * network[0].in * sizeof(real));
    cudaMemcpy(activations[0], x, batch * network[0].in * sizeof(real), cudaMemcpyHostToDevice);
    const real *at = d_parameters;
    dim3 block(4, 2);
    for (int l = 0; l < LAYERS; l++) {
        const Layer layer = network[l];
        const real *weights = at, *bias = at + layer.in * layer.out;
        cudaMalloc((void **)&activations[l + 1], batch * layer.out * sizeof(real));
        dim3 grid((layer.out + block.x - 1) / block.x, (batch + block.y - 1) / block.y);
        dense<<<grid, block>>>(activations[l + 1], activations[l], weights, bias, batch, layer.in, layer.out,
                               layer.activation);
        at = bias + layer.out;
    }
    cudaMalloc((void **)&d_loss, batch * sizeof(real));
    cross_entropy<<<(batch + 3) / 4, 4>>>(d_loss, activations[LAYERS], d_labels, batch, network[LAYERS - 1].out);
    real *losses = (real *)malloc(batch * sizeof(real)), mean = 0;
    cudaMemcpy(losses, d_loss, batch * sizeof(real), cudaMemcpyDeviceToHost);
    for (int b = 0; b < batch; b++)
        mean += losses[b] / batch;
    free(losses);
    for (int l = 0; l <= LAYERS; l++)
        cudaFree(activations[l]);
    cudaFree(d_parameters);
    cudaFree(d_labels);
    cudaFree(d_loss);
    return mean;
}
