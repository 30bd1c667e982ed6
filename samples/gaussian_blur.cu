// Each row of x, smoothed with a Gaussian whose width is 1 / (sharpness sqrt 2).
//
// A layer of a network: denoiser.py trains the sharpness with PyTorch.  Near the ends the weights that are left are
// normalised, so that a constant stays one.  Neighbouring threads read the same elements: in reverse they meet there.

#define REACH 12

__global__ void blur(const float *x, float sharpness, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (i >= n)
        return;
    float sum = 0, weights = 0;
    for (int d = -REACH; d <= REACH; d++) {
        if (i + d < 0 || i + d >= n)
            continue;
        float w = expf(-sharpness * sharpness * d * d);
        sum += w * x[row * n + i + d];
        weights += w;
    }
    y[row * n + i] = sum / weights;
}

// Device pointers to `rows` rows of n values.
void smooth(const float *x, float sharpness, float *y, int rows, int n)
{
    dim3 grid((n + 127) / 128, rows);
    blur<<<grid, 128>>>(x, sharpness, y, n);
}
