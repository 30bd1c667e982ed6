/*---
function = "rotate"
wrt = ["points", "angle"]
of = ["points", "lengths"]
[inputs]
points = { shape = [33], random = 4 }
lengths = { zeros = [11] }
angle = 0.4
n = 11
---*/
// Fixed-size vectors and matrices as in an Eigen-like header: what is stored in a base, operators in a base that knows the
// class that derives from it, constructors taken over.
template <class T, int N> class Storage {
protected:
    T data_[N];

public:
    Storage() = default;
    __host__ __device__ T &operator[](int i) { return data_[i]; }
    __host__ __device__ const T &operator[](int i) const { return data_[i]; }
    static constexpr int size = N;
};
template <class D, class T> struct Algebra {
    __host__ __device__ const D &self() const { return static_cast<const D &>(*this); }
    __host__ __device__ T dot(const D &o) const
    {
        T sum = T(0);
        for (int i = 0; i < D::size; ++i)
            sum += self()[i] * o[i];
        return sum;
    }
    __host__ __device__ T norm() const { return sqrt(dot(self())); }
};
template <class T> struct Vec3 : Storage<T, 3>, Algebra<Vec3<T>, T> {
    __host__ __device__ Vec3(T x, T y, T z)
    {
        this->data_[0] = x;
        this->data_[1] = y;
        (*this)[2] = z;
    }
    __host__ __device__ T x() const { return this->data_[0]; }
    __host__ __device__ T y() const { return Storage<T, 3>::data_[1]; }
    __host__ __device__ friend Vec3 operator+(const Vec3 &a, const Vec3 &b)
    {
        return Vec3(a[0] + b[0], a[1] + b[1], a[2] + b[2]);
    }
    __host__ __device__ Vec3 operator*(T s) const { return Vec3(x() * s, y() * s, (*this)[2] * s); }
};
template <class T> struct Point : Vec3<T> {
    using Vec3<T>::Vec3;
    T weight = T(0.5);
};
template <class T, int R, int C> struct Matrix : Storage<T, R * C> {
    __host__ __device__ T &operator()(int r, int c) { return this->data_[r * C + c]; }
    __host__ __device__ T operator()(int r, int c) const { return this->data_[r * C + c]; }
};
template <class T> struct Rotation : Matrix<T, 3, 3> {
    __host__ __device__ explicit Rotation(T a)
    {
        for (int i = 0; i < 9; ++i)
            this->data_[i] = T(0);
        const T c = cos(a), s = sin(a);
        (*this)(0, 0) = c;
        (*this)(0, 1) = -s;
        (*this)(1, 0) = s;
        (*this)(1, 1) = c;
        (*this)(2, 2) = T(1);
    }
    __host__ __device__ Vec3<T> operator*(const Vec3<T> &v) const
    {
        const Rotation &m = *this;
        return Vec3<T>(m(0, 0) * v[0] + m(0, 1) * v[1] + m(0, 2) * v[2], m(1, 0) * v[0] + m(1, 1) * v[1] + m(1, 2) * v[2],
                       m(2, 0) * v[0] + m(2, 1) * v[1] + m(2, 2) * v[2]);
    }
};

template <class T> __global__ void rotated(T *points, T *lengths, Rotation<T> turn, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Point<T> p(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
    const Vec3<T> moved = turn * p + p * p.weight;
    for (int k = 0; k < Vec3<T>::size; ++k)
        points[3 * i + k] = moved[k];
    lengths[i] = moved.norm() + p.dot(moved);
}

void rotate(double *points, double *lengths, double angle, int n)
{
    Rotation<double> turn(angle);
    rotated<<<(n + 3) / 4, 4>>>(points, lengths, turn, n);
}
