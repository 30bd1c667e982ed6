/*---
wrt = ["x", "c"]
of = ["y"]
[inputs]
x = { shape = [80], random = 1 }
y = { shape = [80], random = 2 }
c = 0.2
nx = 2
ny = 3
nz = 2
[[cases]]
name = "faces"
function = "run"
---*/
// C++: halos of three dimensions as parts of arrays, between the neighbours of a Cartesian grid.
#include <mpi.h>
template <typename T> struct Field {
    int n[3];
    T *data;

    __host__ __device__ int at(int i, int j, int k) const { return ((i * (n[1] + 2)) + j) * (n[2] + 2) + k; }
};
template <typename T> __global__ void step(Field<T> out, Field<T> in, T c)
{
    int i = threadIdx.x + 1, j = threadIdx.y + 1, k = threadIdx.z + 1;
    if (i <= in.n[0] && j <= in.n[1] && k <= in.n[2]) {
        T s = in.data[in.at(i - 1, j, k)] + in.data[in.at(i + 1, j, k)] + in.data[in.at(i, j - 1, k)];
        s += in.data[in.at(i, j + 1, k)] + in.data[in.at(i, j, k - 1)] + in.data[in.at(i, j, k + 1)];
        out.data[out.at(i, j, k)] = c * s * in.data[in.at(i, j, k)];
    }
}
void run(double *y, const double *x, double c, int nx, int ny, int nz)
{
    int size, n[3] = {nx, ny, nz}, dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1};
    MPI_Comm cart;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart);
    MPI_Datatype send[6], recv[6];
    int whole[3] = {nx + 2, ny + 2, nz + 2};
    for (int d = 0; d < 3; ++d)
        for (int side = 0; side < 2; ++side) {
            int sub[3] = {nx, ny, nz}, from[3] = {1, 1, 1}, to[3] = {1, 1, 1};
            sub[d] = 1;
            from[d] = side == 0 ? 1 : n[d];
            to[d] = side == 0 ? 0 : n[d] + 1;
            MPI_Type_create_subarray(3, whole, sub, from, MPI_ORDER_C, MPI_DOUBLE, &send[2 * d + side]);
            MPI_Type_create_subarray(3, whole, sub, to, MPI_ORDER_C, MPI_DOUBLE, &recv[2 * d + side]);
            MPI_Type_commit(&send[2 * d + side]);
            MPI_Type_commit(&recv[2 * d + side]);
        }
    size_t cells = (size_t)(nx + 2) * (ny + 2) * (nz + 2);
    Field<double> a, b;
    for (int d = 0; d < 3; ++d) a.n[d] = b.n[d] = n[d];
    cudaMalloc(&a.data, cells * sizeof(double));
    cudaMalloc(&b.data, cells * sizeof(double));
    cudaMemcpy(a.data, x, cells * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b.data, x, cells * sizeof(double), cudaMemcpyHostToDevice);
    for (int s = 0; s < 2; ++s) {
        MPI_Request r[12];
        int count = 0;
        for (int d = 0; d < 3; ++d) {
            int lo, hi;
            MPI_Cart_shift(cart, d, 1, &lo, &hi);
            MPI_Irecv(a.data, 1, recv[2 * d], lo, 2 * d, cart, &r[count++]);
            MPI_Irecv(a.data, 1, recv[2 * d + 1], hi, 2 * d + 1, cart, &r[count++]);
            MPI_Isend(a.data, 1, send[2 * d], lo, 2 * d + 1, cart, &r[count++]);
            MPI_Isend(a.data, 1, send[2 * d + 1], hi, 2 * d, cart, &r[count++]);
        }
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
        step<double><<<1, dim3(4, 4, 4)>>>(b, a, c);
        Field<double> t = a;
        a = b;
        b = t;
    }
    cudaMemcpy(y, a.data, cells * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; ++i) {
        MPI_Type_free(&send[i]);
        MPI_Type_free(&recv[i]);
    }
    cudaFree(a.data);
    cudaFree(b.data);
    MPI_Comm_free(&cart);
}
