/*---
function = "attend"
wrt = ["scores", "values"]
of = ["out"]
[inputs]
out = { zeros = [12] }
scores = { shape = [84], random = 1 }
values = { shape = [42], random = 2 }
rows = 6
columns = 14
---*/
// A softmax that starts from numeric_limits, over views by alias templates: of types, of numbers, of traits.
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>

template <typename T> using Limits = std::numeric_limits<T>;
template <typename T> using Plain = typename std::remove_const<typename std::remove_reference<T>::type>::type;
template <typename T, int N> struct Pack {
    T at[N];
    using value_type = T;
    static constexpr int size = N;
    __host__ __device__ T &operator[](int i) { return at[i]; }
    __host__ __device__ const T &operator[](int i) const { return at[i]; }
};
template <int N> using Doubles = Pack<double, N>;
using Triple = Doubles<3>;
template <typename V> using Of = typename V::value_type;
template <typename T> using Pointer = const T *__restrict__;

template <typename T> __device__ T lowest()
{
    return Limits<T>::has_infinity ? -Limits<T>::infinity() : Limits<T>::lowest();
}

template <typename V> __device__ void load(V &to, Pointer<Of<V>> from)
{
    for (int k = 0; k < Plain<decltype(to)>::size; ++k)
        to[k] = from[k];
}

__global__ void softmax(double *out, Pointer<double> scores, Pointer<double> values, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double top = lowest<double>(), total = 0;
    int best = Limits<int>::max(), seen = INT_MIN;
    for (int k = 0; k < columns; ++k) {
        if (scores[row * columns + k] > top) {
            top = scores[row * columns + k];
            best = k;
        }
        seen = k > seen ? k : seen;
    }
    Triple sum = {{0, 0, 0}};
    for (int k = 0; k < columns; ++k) {
        double w = exp(scores[row * columns + k] - top);
        Triple v;
        load(v, values + 3 * k);
        for (int c = 0; c < Triple::size; ++c)
            sum[c] += w * v[c];
        total += w;
    }
    total = total < Limits<double>::min() ? DBL_EPSILON : total;
    out[2 * row] = sum[0] / total + sum[2] * 1e-3 + (best < columns ? 0 : Limits<float>::max());
    out[2 * row + 1] = sum[1] / total * (seen == columns - 1) + Limits<double>::epsilon() * Limits<unsigned char>::max();
}

void attend(double *out, const double *scores, const double *values, int rows, int columns)
{
    softmax<<<(rows + 3) / 4, 4>>>(out, scores, values, rows, columns);
}
