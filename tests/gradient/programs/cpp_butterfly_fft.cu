/*---
function = "spectrum"
wrt = ["re", "im"]
of = ["power"]
[inputs]
power = { zeros = [32] }
re = { shape = [32], random = 1 }
im = { shape = [32], random = 2 }
batches = 2
---*/
// Radix-2 transforms in shared memory, with a complex class of the program's own and its size as a template parameter.
template <class T> class complex_t {
public:
    __host__ __device__ constexpr complex_t(T r = T(), T i = T()) : re_(r), im_(i) {}
    __host__ __device__ T real() const { return re_; }
    __host__ __device__ T imag() const { return im_; }
    __host__ __device__ complex_t conj() const { return complex_t(re_, -im_); }
    __host__ __device__ complex_t &operator+=(const complex_t &o)
    {
        re_ += o.re_;
        im_ += o.im_;
        return *this;
    }
    __host__ __device__ complex_t &operator-=(const complex_t &o) { return *this += -o; }
    __host__ __device__ complex_t operator-() const { return {-re_, -im_}; }

    T re_, im_;
};
template <class T> __host__ __device__ complex_t<T> operator+(complex_t<T> a, const complex_t<T> &b) { return a += b; }
template <class T> __host__ __device__ complex_t<T> operator-(complex_t<T> a, const complex_t<T> &b) { return a -= b; }
template <class T> __host__ __device__ complex_t<T> operator*(const complex_t<T> &a, const complex_t<T> &b)
{
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T> __host__ __device__ T norm(const complex_t<T> &a) { return (a * a.conj()).real(); }
template <class T> __device__ complex_t<T> polar(T angle)
{
    T s, c;
    sincos(angle, &s, &c);
    return complex_t<T>(c, s);
}

template <int Bits> struct Reverse {
    __device__ static constexpr int of(int i)
    {
        int r = 0;
        for (int b = 0; b < Bits; ++b)
            r |= ((i >> b) & 1) << (Bits - 1 - b);
        return r;
    }
};

template <int Bits> __global__ void fft(double *power, const double *re, const double *im)
{
    constexpr int N = 1 << Bits;
    using cd = complex_t<double>;
    __shared__ double sr[N], si[N];
    const int t = threadIdx.x, base = blockIdx.x * N;
    for (int i = t; i < N; i += N / 2) {
        const int j = Reverse<Bits>::of(i);
        sr[j] = re[base + i];
        si[j] = im[base + i];
    }
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        const int k = t % half, i = (t / half) * 2 * half + k;
        const cd w = polar(-3.141592653589793 * k / half);
        const cd a(sr[i], si[i]), b = w * cd(sr[i + half], si[i + half]);
        __syncthreads();
        const cd sum = a + b, difference = a - b;
        sr[i] = sum.real();
        si[i] = sum.imag();
        sr[i + half] = difference.real();
        si[i + half] = difference.imag();
        __syncthreads();
    }
    for (int i = t; i < N; i += N / 2)
        power[base + i] = norm(cd(sr[i], si[i]));
}

void spectrum(double *power, const double *re, const double *im, int batches)
{
    constexpr int bits = 4, n = 1 << bits;
    const size_t bytes = sizeof(double) * n * batches;
    double *d_power, *d_re, *d_im;
    cudaMalloc(&d_power, bytes);
    cudaMalloc(&d_re, bytes);
    cudaMalloc(&d_im, bytes);
    cudaMemcpy(d_re, re, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_im, im, bytes, cudaMemcpyHostToDevice);
    fft<bits><<<batches, n / 2>>>(d_power, d_re, d_im);
    cudaMemcpy(power, d_power, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_power);
    cudaFree(d_re);
    cudaFree(d_im);
}
