/*---
function = "multigrid"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [24] }
x = { shape = [24], random = 1 }
n = 24
levels = 3

[[cases]]
name = "three"

[[cases]]
name = "one"
inputs = { levels = 1 }
---*/
// Arrays of objects that own memory of the device: made by new, each filled, all ended by delete[].
class Level {
  public:
    Level() : data(nullptr), n(0) {}
    ~Level() { cudaFree(data); }
    void resize(int count)
    {
        n = count;
        cudaMalloc(&data, n * sizeof(double));
    }
    double *data;
    int n;
};

struct Weights {
    double *at;
    Weights() : at(new double[2]) { at[0] = 0.5, at[1] = 0.25; }
    ~Weights() { delete[] at; }
};

__global__ void restricted(double *coarse, const double *fine, int n, int fine_n, double w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        coarse[i] = w * fine[2 * i] * fine[2 * i] + (2 * i + 1 < fine_n ? fine[2 * i + 1] : 0);
}

__global__ void prolonged(double *y, const double *coarse, int n, int stride, double w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += w * coarse[i / stride];
}

void multigrid(double *y, const double *x, int n, int levels)
{
    Level *grids = new Level[levels + 1];
    Weights *weights = new Weights[2];
    grids[0].resize(n);
    cudaMemcpy(grids[0].data, x, n * sizeof(double), cudaMemcpyDeviceToDevice);
    for (int l = 1; l <= levels; ++l) {
        grids[l].resize((grids[l - 1].n + 1) / 2);
        restricted<<<(grids[l].n + 7) / 8, 8>>>(
            grids[l].data, grids[l - 1].data, grids[l].n, grids[l - 1].n, weights[l % 2].at[0]);
    }
    for (int l = 1; l <= levels; ++l)
        prolonged<<<(n + 7) / 8, 8>>>(y, grids[l].data, n, 1 << l, weights[0].at[1] * l);
    delete[] weights;
    delete[] grids;
}
