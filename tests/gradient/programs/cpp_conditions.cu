/*---
function = "solve"
wrt = ["b"]
of = ["x"]
[inputs]
x = { zeros = [26] }
b = { shape = [26], random_uniform = 1, low = 0.5, high = 2.0 }
n = 26
limit = 6
---*/
// Variables that conditions declare, in if, while, switch and for, on the host and on the device.
struct Range {
    int first, last;
    __host__ __device__ explicit operator bool() const { return first < last; }
    __host__ __device__ int count() const { return last - first; }
};

__device__ Range range_of(int thread, int n, int each)
{
    int first = thread * each, last = first + each < n ? first + each : n;
    return Range{first, last};
}

__device__ double root(double b, int limit)
{
    double x = b > 1 ? b : 1;
    int left = limit;
    while (bool again = left-- > 0) {
        if (double rest = x * x - b; again && fabs(rest) > 1e-12)
            x -= rest / (2 * x);
        else
            break;
    }
    return x;
}

__global__ void roots(double *x, const double *b, int n, int each, int limit)
{
    if (Range mine = range_of(blockIdx.x * blockDim.x + threadIdx.x, n, each)) {
        for (int i = mine.first, last = mine.last; i < last; ++i) {
            switch (int kind = i % 3) {
            case 0:
                x[i] = root(b[i], limit);
                break;
            case 1:
                x[i] = root(b[i] + kind, limit) * mine.count();
                break;
            default:
                if (const double *next = i + 1 < n ? b + i + 1 : nullptr)
                    x[i] = root(b[i] * *next, limit);
                else
                    x[i] = b[i];
            }
        }
    }
}

void solve(double *x, const double *b, int n, int limit)
{
    if (cudaError_t status = cudaGetLastError())
        return;
    if (const int each = 3; int threads = (n + each - 1) / each)
        roots<<<(threads + 3) / 4, 4>>>(x, b, n, each, limit);
}
