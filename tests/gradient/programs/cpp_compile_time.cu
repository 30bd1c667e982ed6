/*---
function = "reduce"
wrt = ["x"]
of = ["y"]
[inputs]
y = { zeros = [4] }
x = { shape = [128], random = 1 }
---*/
// What is decided at compile time: if constexpr, constexpr functions and tables, specialisations, packs, enum class,
// static members, numeric defaults.
enum class Op { sum, product };

template <Op OP> struct Traits;
template <> struct Traits<Op::sum> {
    static constexpr double start = 0.0;
    __device__ static double join(double a, double b) { return a + b; }
};
template <> struct Traits<Op::product> {
    static constexpr double start = 1.0;
    __device__ static double join(double a, double b) { return a * (1.0 + 0.01 * b); }
};

constexpr int power_of_two(int n) { return n == 0 ? 1 : 2 * power_of_two(n - 1); }
constexpr int BLOCK = power_of_two(5);

template <typename... Rest> __device__ double total(double first, Rest... rest)
{
    if constexpr (sizeof...(rest) == 0)
        return first;
    else
        return first + total(rest...);
}

template <Op OP, int SIZE> __global__ void reduce_kernel(double *y, const double *x)
{
    __shared__ double part[SIZE];
    int t = threadIdx.x;
    double own = x[blockIdx.x * SIZE + t];
    if constexpr (OP == Op::sum)
        own *= own;
    part[t] = own;
    __syncthreads();
    for (int s = SIZE / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] = Traits<OP>::join(part[t], part[t + s]);
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = Traits<OP>::join(Traits<OP>::start, total(part[0], 0.5 * part[0], part[0] * part[0]));
}

void reduce(double *y, const double *x)
{
    double *d_y, *d_x;
    cudaMalloc(&d_y, 4 * sizeof(double));
    cudaMalloc(&d_x, 4 * BLOCK * sizeof(double));
    cudaMemcpy(d_x, x, 4 * BLOCK * sizeof(double), cudaMemcpyHostToDevice);
    reduce_kernel<Op::sum, BLOCK><<<2, BLOCK>>>(d_y, d_x);
    reduce_kernel<Op::product, BLOCK><<<2, BLOCK>>>(d_y + 2, d_x + 2 * BLOCK);
    cudaMemcpy(y, d_y, 4 * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_y);
    cudaFree(d_x);
}
