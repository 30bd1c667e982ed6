/*---
function = "norm_of_solution"
wrt = ["kappa"]
[inputs]
kappa = 0.7
nx = 4
ny = 3
steps = 5
---*/
// Conjugate gradients on a matrix that a std::map assembles: cub in the product, thrust in the sums, errors that are thrown.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <map>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/inner_product.h>
#include <thrust/transform.h>
#define GPU(x) do { cudaError_t e = x; if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e)); } while (0)
struct Csr { std::vector<int> start, column; std::vector<double> value; int rows() const { return (int)start.size() - 1; } };
static Csr laplace(int nx, int ny, double kappa)
{
    std::map<std::pair<int, int>, double> entries;
    auto index = [nx](int i, int j) { return j * nx + i; };
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            entries[{index(i, j), index(i, j)}] += 4 * kappa + 1;
            for (auto [di, dj] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}}) {
                const int a = i + di, b = j + dj;
                if (a >= 0 && a < nx && b >= 0 && b < ny)
                    entries[{index(i, j), index(a, b)}] -= kappa;
            }
        }
    Csr m;
    m.start.assign(nx * ny + 1, 0);
    for (const auto &[where, v] : entries) {
        m.start[where.first + 1]++;
        m.column.push_back(where.second);
        m.value.push_back(v);
    }
    for (size_t r = 1; r < m.start.size(); r++)
        m.start[r] += m.start[r - 1];
    return m;
}
template <int THREADS> __global__ void spmv(double *y, const double *x, const int *start, const int *column, const double *value, int rows)
{
    using Reduce = cub::BlockReduce<double, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    const int row = blockIdx.x;
    double sum = 0;
    for (int k = start[row] + threadIdx.x; k < start[row + 1]; k += THREADS)
        sum += value[k] * x[column[k]];
    sum = Reduce(storage).Sum(sum);
    if (threadIdx.x == 0)
        y[row] = sum;
}
struct Axpy { double a; __host__ __device__ double operator()(double x, double y) const { return a * x + y; } };
class Solver {
public:
    explicit Solver(const Csr &m) : rows_(m.rows()), start_(m.start), column_(m.column), value_(m.value) {}
    int solve(thrust::device_vector<double> &x, const thrust::device_vector<double> &b, int steps)
    {
        thrust::device_vector<double> r = b, p = b, ap(rows_);
        double rr = thrust::inner_product(r.begin(), r.end(), r.begin(), 0.0);
        int k = 0;
        for (; k < steps; k++) {
            apply(ap, p);
            const double alpha = rr / thrust::inner_product(p.begin(), p.end(), ap.begin(), 0.0);
            thrust::transform(p.begin(), p.end(), x.begin(), x.begin(), Axpy{alpha});
            thrust::transform(ap.begin(), ap.end(), r.begin(), r.begin(), Axpy{-alpha});
            const double next = thrust::inner_product(r.begin(), r.end(), r.begin(), 0.0);
            thrust::transform(p.begin(), p.end(), r.begin(), p.begin(), Axpy{next / rr});
            rr = next;
        }
        return k;
    }
private:
    void apply(thrust::device_vector<double> &y, const thrust::device_vector<double> &x)
    {
        spmv<32><<<rows_, 32>>>(thrust::raw_pointer_cast(y.data()), thrust::raw_pointer_cast(x.data()), thrust::raw_pointer_cast(start_.data()),
                                thrust::raw_pointer_cast(column_.data()), thrust::raw_pointer_cast(value_.data()), rows_);
        GPU(cudaGetLastError());
    }
    int rows_;
    thrust::device_vector<int> start_, column_;
    thrust::device_vector<double> value_;
};
double norm_of_solution(double kappa, int nx, int ny, int steps)
{
    const Csr m = laplace(nx, ny, kappa);
    std::vector<double> rhs(m.rows());
    for (int i = 0; i < m.rows(); i++)
        rhs[i] = 1.0 + 0.1 * (i % 7);
    thrust::device_vector<double> b = rhs, x(m.rows(), 0.0);
    Solver solver(m);
    const int done = solver.solve(x, b, steps);
    thrust::host_vector<double> h = x;
    double norm = 0, residual = 0;
    for (int r = 0; r < m.rows(); r++) {
        double s = 0;
        for (int k = m.start[r]; k < m.start[r + 1]; k++)
            s += m.value[k] * h[m.column[k]];
        residual = std::max(residual, std::fabs(s - rhs[r]));
        norm += h[r] * h[r];
    }
    std::cout << done << " steps, residual " << residual << (residual < 1e-3 ? " PASS" : " FAIL") << std::endl;
    return norm;
}

int main(int argc, char **argv)
{
    try {
        int nx = 5, ny = 4, steps = 8;
        for (int i = 1; i < argc; i++)
            if (std::string(argv[i]) == "-n" && i + 1 < argc)
                nx = ny = std::stoi(argv[++i]);
        double kappa = 0.7;
        double norm = norm_of_solution(kappa, nx, ny, steps);
        return norm > 0 ? 0 : 2;
    } catch (const std::exception &e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
}
