/*---
function = "interpolate"
wrt = ["dz", "ix"]
of = ["iz"]
[inputs]
dx = { shape = [40], random_uniform = 1, low = 0.0, high = 1.0 }
dy = { shape = [40], random_uniform = 2, low = 0.0, high = 1.0 }
dz = { shape = [40], random = 3 }
ix = { shape = [21], random_uniform = 4, low = 0.0, high = 1.0 }
iy = { shape = [21], random_uniform = 5, low = 0.0, high = 1.0 }
iz = { zeros = [21] }
dnum = 40
inum = 21
---*/
// Adaptive inverse-distance weighting: the nearest points of each are kept in order, the exponent follows their density.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

template <typename T> constexpr T EPS = T(1e-7);
constexpr int NEIGHBOURS = 4;

template <typename T, int K> class Nearest {
public:
    __device__ explicit Nearest(T start)
    {
#pragma unroll
        for (int k = 0; k < K; ++k)
            kept[k] = start;
    }
    __device__ void offer(T d)
    {
        if (d >= kept[K - 1])
            return;
        int k = K - 1;
        while (k > 0 && kept[k - 1] > d) {
            kept[k] = kept[k - 1];
            --k;
        }
        kept[k] = d;
    }
    __device__ T mean() const
    {
        T sum = 0;
        for (int k = 0; k < K; ++k)
            sum += sqrt(kept[k]);
        return sum / K;
    }

private:
    T kept[K];
};

template <typename T> struct Levels {
    T low, high;
    T exponents[5];
    __device__ T exponent(T r) const
    {
        T mu = r <= low ? T(0) : r >= high ? T(1) : T(0.5) - T(0.5) * cos(T(3.1415926535897931) * (r - low) / (high - low));
        int at = static_cast<int>(mu * 4);
        if (at > 3)
            at = 3;
        T part = mu * 4 - at;
        return (1 - part) * exponents[at] + part * exponents[at + 1];
    }
};

template <typename T>
__global__ void aidw(const T *__restrict__ dx, const T *__restrict__ dy, const T *__restrict__ dz, const int dnum,
                     const T *__restrict__ ix, const T *__restrict__ iy, T *__restrict__ iz, const int inum, const T area,
                     const Levels<T> levels)
{
    extern __shared__ unsigned char raw[];
    T *tx = reinterpret_cast<T *>(raw), *ty = tx + blockDim.x;
    const int tid = blockIdx.x * blockDim.x + threadIdx.x;
    const bool in = tid < inum;
    const T x = in ? ix[tid] : T(0), y = in ? iy[tid] : T(0);
    Nearest<T, NEIGHBOURS> nearest(T(1e10));
    for (int base = 0; base < dnum; base += blockDim.x) {
        const int j = base + threadIdx.x;
        if (j < dnum) {
            tx[threadIdx.x] = dx[j];
            ty[threadIdx.x] = dy[j];
        }
        __syncthreads();
        const int count = min((int)blockDim.x, dnum - base);
        for (int k = 0; k < count; ++k) {
            const T a = x - tx[k], b = y - ty[k];
            nearest.offer(a * a + b * b);
        }
        __syncthreads();
    }
    if (!in)
        return;
    const T expected = T(1) / (2 * sqrt(dnum / area));
    const T alpha = levels.exponent(nearest.mean() / expected) * T(0.5);
    T weights = 0, sum = 0;
    for (int j = 0; j < dnum; ++j) {
        const T a = x - dx[j], b = y - dy[j];
        const T w = pow(a * a + b * b + EPS<T>, -alpha);
        weights += w;
        sum += w * dz[j];
    }
    iz[tid] = sum / weights;
}

void interpolate(const double *dx, const double *dy, const double *dz, const double *ix, const double *iy, double *iz,
                 int dnum, int inum)
{
    double *d_dx, *d_dy, *d_dz, *d_ix, *d_iy, *d_iz;
    auto upload = [](double *&to, const double *from, int n) {
        cudaMalloc((void **)&to, n * sizeof(double));
        cudaMemcpy(to, from, n * sizeof(double), cudaMemcpyHostToDevice);
    };
    upload(d_dx, dx, dnum);
    upload(d_dy, dy, dnum);
    upload(d_dz, dz, dnum);
    upload(d_ix, ix, inum);
    upload(d_iy, iy, inum);
    cudaMalloc((void **)&d_iz, inum * sizeof(double));
    const Levels<double> levels = {0.0, 2.5, {0.5, 1.0, 2.0, 3.0, 4.0}};
    const int threads = 16, shared = 2 * threads * sizeof(double);
    aidw<<<(inum + threads - 1) / threads, threads, shared>>>(d_dx, d_dy, d_dz, dnum, d_ix, d_iy, d_iz, inum, 1.0, levels);
    cudaMemcpy(iz, d_iz, inum * sizeof(double), cudaMemcpyDeviceToHost);
    for (double *p : {d_dx, d_dy, d_dz, d_ix, d_iy, d_iz})
        cudaFree(p);
}

int main(int argc, char *argv[])
{
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " <points>" << std::endl;
        return 1;
    }
    const int n = std::stoi(argv[1]);
    double height = 1.25;
    std::vector<double> dx(n), dy(n), dz(n), ix(n), iy(n), iz(n);
    srand(5);
    auto unit = []() { return rand() / static_cast<double>(RAND_MAX); };
    for (int i = 0; i < n; ++i) {
        dx[i] = unit();
        dy[i] = unit();
        dz[i] = height * unit();
        ix[i] = unit();
        iy[i] = unit();
    }
    interpolate(dx.data(), dy.data(), dz.data(), ix.data(), iy.data(), iz.data(), n, n);
    double mean = 0;
    for (const auto &z : iz)
        mean += z / n;
    std::cout << "mean " << mean << '\n';
    return 0;
}
