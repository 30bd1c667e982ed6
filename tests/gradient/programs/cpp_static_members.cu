/*---
function = "relax"
wrt = ["u", "source"]
of = ["u"]
[inputs]
u = { shape = [63], random = 1 }
source = { shape = [63], random = 2 }
rows = 7
columns = 9
---*/
// Members that belong to classes: constants, tables, counters, functions without an object, defaults of members.
#include <cstddef>

struct Physics {
    static constexpr double DIFFUSION = 0.15;
    static const int SUBSTEPS = 2;
    inline static double scale = 1.25;
    static constexpr int OFFSETS[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    static __host__ __device__ double reaction(double v) { return v * (1 - v) * (v - THRESHOLD); }

  private:
    static constexpr double THRESHOLD = 0.3;
};

template <int BLOCK> class Grid {
  public:
    static constexpr int SIZE = BLOCK * BLOCK;
    static unsigned made;
    const int rows, columns;
    double step = 0.5 * Physics::DIFFUSION;
    bool periodic{true};
    struct Cell {
        int row = 0, column = 0;
    } first;

    Grid(int rows, int columns) : rows(rows), columns(columns) { ++made; }

    static __host__ __device__ int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
    __host__ __device__ int at(int row, int column) const
    {
        return wrapped(row, rows) * columns + wrapped(column, columns);
    }
    dim3 blocks() const { return dim3((columns + BLOCK - 1) / BLOCK, (rows + BLOCK - 1) / BLOCK); }
    static dim3 threads() { return dim3(BLOCK, BLOCK); }
};
template <int BLOCK> unsigned Grid<BLOCK>::made = 0;
typedef Grid<4> Tiles;

__global__ void react(double *to, const double *u, const double *source, Tiles grid, double scale)
{
    __shared__ double lines[Tiles::SIZE];
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    double &own = lines[threadIdx.y * blockDim.x + threadIdx.x];
    if (row >= grid.rows || column >= grid.columns)
        return;
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += u[grid.at(row + Physics::OFFSETS[k][0], column + Physics::OFFSETS[k][1])];
    int i = grid.at(row, column);
    own = u[i] + grid.step * (sum - 4 * u[i]) + scale * Physics::reaction(u[i]);
    to[i] = grid.periodic ? own + 0.1 * source[i + grid.first.row] : 0;
}

void relax(double *u, const double *source, int rows, int columns)
{
    Tiles grid(rows, columns);
    size_t bytes = sizeof(double) * rows * columns;
    double *next;
    cudaMalloc(&next, bytes);
    Physics::scale = 0.2 * Tiles::made / Tiles::made;
    for (int s = 0; s < Physics::SUBSTEPS; ++s) {
        react<<<grid.blocks(), Tiles::threads()>>>(next, u, source, grid, Physics::scale);
        cudaMemcpy(u, next, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaFree(next);
}
