/*---
function = "despeckle"
wrt = ["image", "lambda"]
of = ["image"]
[inputs]
image = { shape = [42], random_uniform = 1, low = 0.5, high = 1.5 }
lambda = 0.25
rows = 6
cols = 7
iterations = 2
---*/
// Speckle-reducing diffusion with a neighbourhood class, accessors with default arguments, inline variables.
inline constexpr int BLOCK = 4;

class Grid {
public:
    Grid() = default;
    __host__ __device__ Grid(double *data, int rows, int cols) : data_(data), rows_(rows), cols_(cols) {}
    __host__ __device__ int rows() const { return rows_; }
    __host__ __device__ int cols() const { return cols_; }
    __host__ __device__ int size() const { return rows() * cols(); }
    __host__ __device__ double &operator()(int r, int c = 0) const { return data_[r * cols_ + c]; }
    __host__ __device__ double clamped(int r, int c) const
    {
        r = r < 0 ? 0 : r >= rows_ ? rows_ - 1 : r;
        c = c < 0 ? 0 : c >= cols_ ? cols_ - 1 : c;
        return (*this)(r, c);
    }
    double *raw() { return data_; }

protected:
    double *data_ = nullptr;
    int rows_ = 0, cols_ = 0;
};

class DeviceGrid : public Grid {
public:
    DeviceGrid(int r, int c)
    {
        rows_ = r;
        cols_ = c;
        cudaMalloc(&data_, size() * sizeof(double));
    }
    void upload(const double *host) { cudaMemcpy(data_, host, size() * sizeof(double), cudaMemcpyHostToDevice); }
    void download(double *host) const { cudaMemcpy(host, data_, size() * sizeof(double), cudaMemcpyDeviceToHost); }
};

struct Differences {
    double n, s, w, e;
    __device__ Differences(const Grid &g, int r, int c)
        : n(g.clamped(r - 1, c) - g(r, c)), s(g.clamped(r + 1, c) - g(r, c)), w(g.clamped(r, c - 1) - g(r, c)),
          e(g.clamped(r, c + 1) - g(r, c))
    {
    }
    __device__ double laplacian() const { return n + s + w + e; }
    __device__ double squares() const { return n * n + s * s + w * w + e * e; }
};

__global__ void coefficients(Grid c, const Grid j, double q0)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    if (row >= j.rows() || col >= j.cols())
        return;
    const Differences d(j, row, col);
    const double v = j(row, col), g2 = d.squares() / (v * v), l = d.laplacian() / v;
    const double num = 0.5 * g2 - 0.0625 * l * l, den = 1 + 0.25 * l;
    const double q = num / (den * den);
    const double coefficient = 1.0 / (1.0 + (q - q0) / (q0 * (1 + q0)));
    c(row, col) = coefficient < 0 ? 0 : coefficient > 1 ? 1 : coefficient;
}

__global__ void diffuse(Grid out, Grid j, Grid c, double lambda)
{
    const int col = blockIdx.x * BLOCK + threadIdx.x, row = blockIdx.y * BLOCK + threadIdx.y;
    if (row < j.rows() && col < j.cols()) {
        const Differences d(j, row, col);
        const double own = c(row, col);
        const double divergence = own * (d.n + d.w) + c.clamped(row + 1, col) * d.s + c.clamped(row, col + 1) * d.e;
        out(row, col) = j(row, col) + 0.25 * lambda * divergence;
    }
}

void despeckle(double *image, double lambda, int rows, int cols, int iterations)
{
    DeviceGrid j(rows, cols), next(rows, cols), c(rows, cols);
    j.upload(image);
    dim3 block(BLOCK, BLOCK), grid((cols + BLOCK - 1) / BLOCK, (rows + BLOCK - 1) / BLOCK);
    for (int it = 0; it < iterations; ++it) {
        coefficients<<<grid, block>>>(c, j, 0.3);
        diffuse<<<grid, block>>>(next, j, c, lambda);
        coefficients<<<grid, block>>>(c, next, 0.3);
        diffuse<<<grid, block>>>(j, next, c, lambda);
    }
    j.download(image);
    for (Grid *g : {static_cast<Grid *>(&j), static_cast<Grid *>(&next), static_cast<Grid *>(&c)})
        cudaFree(g->raw());
}
