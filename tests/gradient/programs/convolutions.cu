/*---
function = "convolve_2d"
wrt = ["a"]
of = ["b"]
[inputs]
b = { zeros = [9, 11] }
a = { shape = [9, 11], random = 1 }
ni = 9
nj = 11
nk = 1

[[cases]]
name = "fixed_2d"

[[cases]]
name = "fixed_3d"
function = "convolve_3d"
[cases.inputs]
a = { shape = [5, 6, 7], random = 1 }
b = { zeros = [5, 6, 7] }
ni = 5
nj = 6
nk = 7

[[cases]]
name = "layer"
function = "layer"
wrt = ["a", "w"]
reference = { a = "np.pad(adj_b, ((2, 2), (2, 2)))[(np.arange(9)[:, None, None, None] + 2 - np.arange(3)[:, None]), (np.arange(11)[:, None, None] + 2 - np.arange(3))].__mul__(w).sum((2, 3))" }
[cases.inputs]
w = { shape = [3, 3], random = 2 }
b = { zeros = [7, 9] }
---*/
// Convolutions: fixed coefficients in two and three dimensions, and a filter that is differentiated as well.
__global__ void convolution_2d(double *b, const double *a, int ni, int nj)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    const double c11 = 0.2, c21 = 0.5, c31 = -0.8, c12 = -0.3, c22 = 0.6, c32 = -0.9, c13 = 0.4, c23 = 0.7, c33 = 0.1;
    if (i > 0 && j > 0 && i < ni - 1 && j < nj - 1)
        b[i * nj + j] = c11 * a[(i - 1) * nj + j - 1] + c21 * a[(i - 1) * nj + j] + c31 * a[(i - 1) * nj + j + 1]
            + c12 * a[i * nj + j - 1] + c22 * a[i * nj + j] + c32 * a[i * nj + j + 1] + c13 * a[(i + 1) * nj + j - 1]
            + c23 * a[(i + 1) * nj + j] + c33 * a[(i + 1) * nj + j + 1];
}

void convolve_2d(double *b, const double *a, int ni, int nj, int nk)
{
    dim3 block(4, 4), grid((nj + 3) / 4, (ni + 3) / 4);
    convolution_2d<<<grid, block>>>(b, a, ni, nj);
}

__global__ void convolution_3d(double *b, const double *a, int i, int ni, int nj, int nk)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < ni - 1 && j > 0 && j < nj - 1 && k > 0 && k < nk - 1) {
        double sum = 0.0;
        for (int d = -1; d <= 1; d++)
            for (int e = -1; e <= 1; e += 2)
                sum += (d + 2.0 * e) * a[((i + d) * nj + j + e) * nk + k - d * e] * a[(i * nj + j) * nk + k];
        b[(i * nj + j) * nk + k] = sum;
    }
}

void convolve_3d(double *b, const double *a, int ni, int nj, int nk)
{
    dim3 block(4, 4), grid((nk + 3) / 4, (nj + 3) / 4);
    for (int i = 1; i < ni - 1; ++i)
        convolution_3d<<<grid, block>>>(b, a, i, ni, nj, nk);
}

__global__ void layer_kernel(double *b, const double *a, const double *w, int rows, int columns, int width)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= columns)
        return;
    double sum = 0.0;
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
            sum += w[p * 3 + q] * a[(i + p) * width + j + q];
    b[i * columns + j] = sum;
}

void layer(double *b, const double *a, const double *w, int ni, int nj, int nk)
{
    dim3 block(4, 4), grid((nj + 1) / 4, (ni + 1) / 4);
    layer_kernel<<<grid, block>>>(b, a, w, ni - 2, nj - 2, nj);
}
