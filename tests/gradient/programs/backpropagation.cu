/*---
function = "forward"
wrt = ["input", "weights", "bias"]
of = ["hidden"]
[inputs]
hidden = { zeros = [4] }
input = { shape = [12], random = 1 }
weights = { shape = [12, 4], random = 2 }
bias = { shape = [4], random = 3 }
target = { shape = [4], random_uniform = 4, low = 0.0, high = 1.0 }
inputs = 12
units = 4

[[cases]]
name = "layer"

[[cases]]
name = "trained"
function = "train"
of = ["weights"]
wrt = ["input", "weights", "bias"]
---*/
// A layer of a neural network in the manner of Rodinia: products of a tile are summed in a tree; and one training step.
#define H 4

__global__ void partial_sums(double *partial, const double *input, const double *weights, int units)
{
    __shared__ double node[H];
    __shared__ double matrix[H][H];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int i = H * by + ty;
    if (tx == 0)
        node[ty] = input[i];
    __syncthreads();
    matrix[ty][tx] = weights[i * units + tx];
    __syncthreads();
    matrix[ty][tx] = matrix[ty][tx] * node[ty];
    __syncthreads();
    for (int s = 1; s <= H / 2; s *= 2) {
        if (ty % (2 * s) == 0)
            matrix[ty][tx] = matrix[ty][tx] + matrix[ty + s][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial[by * units + tx] = matrix[0][tx];
}

__global__ void squash(double *hidden, const double *partial, const double *bias, int blocks, int units)
{
    int j = threadIdx.x;
    double sum = bias[j];
    for (int k = 0; k < blocks; k++)
        sum += partial[k * units + j];
    hidden[j] = 1.0 / (1.0 + exp(-sum));
}

__global__ void adjust(double *weights, const double *input, const double *hidden, const double *target, int units)
{
    int j = threadIdx.x, i = blockIdx.x * blockDim.y + threadIdx.y;
    double error = (target[j] - hidden[j]) * hidden[j] * (1.0 - hidden[j]);
    weights[i * units + j] += 0.3 * error * input[i];
}

void forward(double *hidden, const double *input, const double *weights, const double *bias, const double *target,
             int inputs, int units)
{
    double *partial;
    int blocks = inputs / H;
    cudaMalloc(&partial, blocks * units * sizeof(double));
    dim3 grid(1, blocks), block(H, H);
    partial_sums<<<grid, block>>>(partial, input, weights, units);
    squash<<<1, units>>>(hidden, partial, bias, blocks, units);
    cudaFree(partial);
}

void train(double *hidden, const double *input, double *weights, const double *bias, const double *target, int inputs,
           int units)
{
    forward(hidden, input, weights, bias, target, inputs, units);
    dim3 block(units, H);
    adjust<<<inputs / H, block>>>(weights, input, hidden, target, units);
}
