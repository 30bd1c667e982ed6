// Two kernels of different shapes, chained through a temporary.
//
// `blur` runs over the image in two-dimensional blocks and reads each pixel's four neighbours; `row_energy` runs over
// the rows, one thread each, and squares what the first one wrote.  The temporary lives on the device only, so its
// adjoint does too.  Neighbouring threads of `blur` read the same pixel: in reverse they add to the same adjoint.

__global__ void blur(float *out, const float *in, int rows, int columns, float weight)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        int i = row * columns + column;
        float sum = 0.0f;
        if (row > 0)
            sum += in[i - columns];
        if (row < rows - 1)
            sum += in[i + columns];
        if (column > 0)
            sum += in[i - 1];
        if (column < columns - 1)
            sum += in[i + 1];
        out[i] = (1.0f - 4.0f * weight) * in[i] + weight * sum;
    }
}

__global__ void row_energy(float *energy, const float *image, int rows, int columns, float scale)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int column = 0; column < columns; column++) {
            float value = image[row * columns + column];
            sum += value * value;
        }
        energy[row] = scale * sum;
    }
}

// image (rows x columns) and energy (rows) are device pointers.
void blurred_energy(float *energy, const float *image, int rows, int columns, float weight, float scale)
{
    float *blurred;
    cudaMalloc(&blurred, (size_t)rows * columns * sizeof(float));

    dim3 block(16, 8);
    dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    blur<<<grid, block>>>(blurred, image, rows, columns, weight);
    row_energy<<<(rows + 63) / 64, 64>>>(energy, blurred, rows, columns, scale);

    cudaFree(blurred);
}
