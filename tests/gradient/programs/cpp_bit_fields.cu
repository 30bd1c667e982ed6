/*---
function = "run"
wrt = ["x"]
of = ["x"]
[inputs]
x = { shape = [12], random = 1 }
---*/
// Bit-fields of the elements of an array on the device, which kernels read and set beside active numbers, and of a parameter
// by value: flags, counts and signed numbers.
struct Cell {
    unsigned kind : 3;
    bool on : 1;
    int shift : 5;
    double weight;
};
struct Options {
    unsigned twice : 1;
    unsigned rounds : 4;
};

__global__ void mark(Cell *cells, const double *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Cell &c = cells[i];
    c.on = x[i] > -0.5;
    c.shift -= i;
    c.kind++;
    c.weight = x[i] * c.kind;
}

__global__ void apply(double *x, const Cell *cells, Options options, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !cells[i].on)
        return;
    double v = x[i];
    for (unsigned r = 0; r < options.rounds; r++)
        v += cells[i].weight * v / (cells[i].kind - 9) + cells[i].shift * v * v;
    x[i] = options.twice ? 2 * v : v;
}

void run(double *x)
{
    Cell host[12];
    for (int i = 0; i < 12; i++) {
        host[i] = Cell();
        host[i].kind = i;
        host[i].shift = 3;
    }
    Cell *cells;
    double *d;
    cudaMalloc(&cells, sizeof(host));
    cudaMalloc(&d, 12 * sizeof(double));
    cudaMemcpy(cells, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpy(d, x, 12 * sizeof(double), cudaMemcpyHostToDevice);
    Options options{};
    options.rounds = 3;
    options.twice = 1;
    mark<<<2, 8>>>(cells, d, 12);
    apply<<<2, 8>>>(d, cells, options, 12);
    cudaMemcpy(x, d, 12 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(cells);
    cudaFree(d);
}
